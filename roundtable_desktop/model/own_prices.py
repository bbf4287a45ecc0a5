"""How own prices are written; apart, so that who only says it loads no model."""

_USD = r" [0-9]{1,6}(\.[0-9]{1,9})?"
_PRICE = rf"[^\s,]{{1,200}}{_USD}{_USD}({_USD}( within)?)?"
OWN_PRICES = rf"^({_PRICE}(, ?{_PRICE})*)?$"
"""A model, then dollars for a million tokens in, out and cached: `small 3 15 0.3, big 9 40`."""
