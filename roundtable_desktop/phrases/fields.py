"""What is wrong with one field: a sentence for each way in which a value does not fit, whoever
reads it, so that no library's own words do."""

from collections.abc import Mapping

from roundtable_desktop.model.own_prices import OWN_PRICES
from roundtable_desktop.model.owners import BLOCKED_OWNER
from roundtable_desktop.model.quiet_hours import QUIET_HOURS
from roundtable_desktop.phrases.marking import N_

_TEXT = N_("This must be text.")
_WHOLE = N_("This must be a whole number.")
_NUMBER = N_("This must be a number.")
_YES_NO = N_("This must be true or false.")
_LIST = N_("This must be a list.")
_OBJECT = N_("This must be an object with named fields.")
_DATE = N_("This must be a date, such as 2026-03-08.")
_TIME = N_("This must be a time of day, such as 06:30.")
_MOMENT = N_("This must be a time with its zone, such as 2026-03-08T06:30:00Z.")
_SPAN = N_("This must be a length of time in seconds.")
_ADDRESS = N_("This must be an address, such as https://example.org/.")
_ID = N_("This must be an id.")
_AN_ID = N_("This is no id: those have small letters and digits only.")
_JSON = N_("This is not valid JSON.")
_DEEP = N_("This is nested too deeply.")
_GIVEN = N_("This must be given.")
_UNKNOWN = N_("There is no such field here. Take it out, or correct its name.")
_FITS_NOT = N_("This value cannot be taken here.")
_ONE_OF = N_("This must be one of: {expected}.")
_FIXED = N_("This cannot be changed.")
_LONG = N_("This is too long: at most {max_length} characters.")
_SHORT = N_("This is too short: at least {min_length} characters.")
_DIGITS = N_("This number has too many digits.")


def _all(text: str, *kinds: str) -> Mapping[str, str]:
    return {f"field_{kind}": text for kind in kinds}


FIELDS: Mapping[str, str] = {
    **_all(_TEXT, "string_type", "string_sub_type", "string_unicode", "bytes_type"),
    **_all(_TEXT, "string_not_ascii", "bytes_invalid_encoding"),
    **_all(_WHOLE, "int_type", "int_parsing", "int_from_float", "multiple_of"),
    **_all(_DIGITS, "int_parsing_size", "decimal_max_digits", "decimal_max_places"),
    **_all(_DIGITS, "decimal_whole_digits"),
    **_all(_NUMBER, "float_type", "float_parsing", "finite_number", "decimal_type"),
    **_all(_NUMBER, "fraction_type", "fraction_parsing"),
    **_all(_NUMBER, "decimal_parsing", "complex_type", "complex_str_parsing"),
    **_all(_YES_NO, "bool_type", "bool_parsing"),
    **_all(_LIST, "list_type", "tuple_type", "set_type", "frozen_set_type", "iterable_type"),
    **_all(_LIST, "named_tuple_type", "deque_type"),
    **_all(_LIST, "iteration_error", "set_item_not_hashable", "arguments_type"),
    **_all(_OBJECT, "dict_type", "mapping_type", "model_type", "model_attributes_type"),
    **_all(_OBJECT, "dataclass_type", "dataclass_exact_type", "invalid_key"),
    **_all(_OBJECT, "frozen_dict_type", "ordered_dict_type", "counter_type"),
    **_all(_OBJECT, "get_attribute_error", "union_tag_not_found"),
    **_all(_DATE, "date_type", "date_parsing", "date_from_datetime_parsing"),
    **_all(_DATE, "date_from_datetime_inexact"),
    **_all(_TIME, "time_type", "time_parsing"),
    **_all(_MOMENT, "datetime_type", "datetime_parsing", "datetime_object_invalid"),
    **_all(_MOMENT, "datetime_from_date_parsing", "timezone_aware", "timezone_offset"),
    **_all(_SPAN, "time_delta_type", "time_delta_parsing"),
    **_all(_ADDRESS, "url_type", "url_parsing", "url_syntax_violation", "url_scheme"),
    **_all(_LONG, "string_too_long", "url_too_long"),
    **_all(_SHORT, "string_too_short"),
    **_all(_ID, "uuid_type", "uuid_parsing", "uuid_version"),
    **_all(_JSON, "json_type", "json_invalid"),
    **_all(_GIVEN, "missing", "missing_argument", "missing_keyword_only_argument"),
    **_all(_GIVEN, "missing_positional_only_argument"),
    **_all(_UNKNOWN, "extra_forbidden", "no_such_attribute", "unexpected_keyword_argument"),
    **_all(_UNKNOWN, "unexpected_positional_argument", "multiple_argument_values"),
    **_all(_ONE_OF, "literal_error", "enum"),
    **_all(_FIXED, "frozen_field", "frozen_instance"),
    **_all(_DEEP, "recursion_loop", "recursion_depth_exceeded"),
    **_all(_FITS_NOT, "ellipsis_error", "assertion_error"),
    **_all(_FITS_NOT, "needs_python_object", "default_factory_not_called", "is_instance_of"),
    **_all(_FITS_NOT, "is_subclass_of", "callable_type", "missing_sentinel_error"),
    "field_none_required": N_("This must be left out, or null."),
    "field_greater_than": N_("This must be more than {gt}."),
    "field_greater_than_equal": N_("This must be {ge} or more."),
    "field_less_than": N_("This must be less than {lt}."),
    "field_less_than_equal": N_("This must be {le} or less."),
    "field_empty": N_("This must not be empty."),
    "field_too_short": N_("There are too few of these: at least {min_length}."),
    "field_too_long": N_("There are too many of these: at most {max_length}."),
    "field_bytes_too_short": N_("This is too short: at least {min_length} bytes."),
    "field_bytes_too_long": N_("This is too long: at most {max_length} bytes."),
    "field_date_past": N_("This must be a date in the past."),
    "field_date_future": N_("This must be a date to come."),
    "field_datetime_past": N_("This must be a time in the past."),
    "field_datetime_future": N_("This must be a time to come."),
    "field_timezone_naive": N_("This must be a time without a zone."),
    "field_union_tag_invalid": N_("This must be one of: {expected_tags}."),
    "field_string_pattern_mismatch": N_("This text does not have the form that is wanted here."),
    "field_value_error": N_("{text}"),
    "field_json_at": N_("This is not valid JSON: see line {line}, column {column}."),
    "field_owner": N_(
        "This must be user, coordinator, architect, debugger, or “agent:” with the id or name of"
        " one."
    ),
    "field_unfit": _FITS_NOT,
    "report_too_large": N_("This is too large: a result has at most 64 KB."),
    "report_not_text": N_("This is not text in UTF-8."),
    "report_no_file": N_("The result file is a link, no ordinary file, or closed to readers."),
}

_NAME_64 = N_(
    "This must be letters, digits, “-” and “_”, at most 64, beginning with a letter or digit."
)

PATTERNS: Mapping[str, str] = {
    BLOCKED_OWNER: FIELDS["field_owner"],
    r"^[^\s\x00-\x20\x7f-][^\s\x00-\x20\x7f]{0,199}$": N_(
        "This must be the name of a model: no spaces, at most 200 characters, and no “-” at its "
        "beginning."
    ),
    r"^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$": _NAME_64,
    r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$": N_(
        "This must be letters, digits, “.”, “-” and “_”, at most 64, beginning with a letter or "
        "digit."
    ),
    r"^(hard|soft|conflict|serialization)$": N_(
        "This must be one of: hard, soft, conflict, serialization."
    ),
    r"^([0-9a-z]{12})?$": N_("This must be 12 small letters and digits."),
    r"^\d{6}\.\d{1,12}(\.\d{1,6})?$": N_(
        "This is no place in a transcript. Take one that an answer gave."
    ),
    r"^[0-9]{1,18}$": N_("This must be a cursor that an answer gave: digits alone."),
    r"^([0-9a-f]{40}|[0-9a-f]{64})$": N_(
        "This must be the whole name of a commit: 40 or 64 hexadecimal digits."
    ),
    r"^[0-9a-f]{64}$": N_("This must be the whole sha: 64 hexadecimal digits."),
    r"^[A-Za-z_][A-Za-z0-9_]{0,127}$": N_(
        "This must be the name of a variable: letters, digits and “_”, not beginning with a digit."
    ),
    r"^/": N_("This must be a whole path, beginning with “/”."),
    r"^[^\x00-\x1f\x7f]*[^\s\x00-\x1f\x7f][^\x00-\x1f\x7f]*$": N_(
        "This must be one line of text that says something."
    ),
    r"^[^\x00-\x1f\x7f]*\S[^\x00-\x1f\x7f]*$": N_(
        "This must be one line of text that says something."
    ),
    OWN_PRICES: N_(
        "This must be models, each with its dollars for a million tokens in, out and, if you like, "
        "cached, such as small 3 15 0.3, large 9 40."
    ),
    QUIET_HOURS: N_(
        "This must be days with a beginning and an end, such as mon-fri 22:00-07:00, sat "
        "23:30-09:00."
    ),
    r"^[a-z_]{1,40}:[^\x00-\x1f\x7f]{1,150}$": N_(
        "This must be a kind of thing and its id, such as task:01jz…"
    ),
    r"^(set|remove)$": N_("This must be set or remove."),
    r"^[0-9a-z]{6,64}$": _AN_ID,
    r"^([0-9a-z]{6,64})?$": _AN_ID,
    r"^[0-9a-z]{6,64}(:[0-9a-z]{6,64})?$": _AN_ID,
    r"^[a-z][a-z0-9_-]{0,31}$": N_(
        "This must be the name of a chat or the like: at most 32 small letters, digits, “-” and"
        " “_”, beginning with a letter."
    ),
    r"^/runs(\?|$)": N_("This must be an address of the list of runs."),
    r"^[0-9a-z]+$": _AN_ID,
}
"""By the pattern that a model asks for, what it means."""


def template(code: str, values: Mapping[str, object]) -> str:
    """Of one fault; one that has no words here is said to be one."""
    if code == "field_string_pattern_mismatch":
        return PATTERNS.get(str(values.get("pattern")), FIELDS[code])
    return FIELDS.get(code, FIELDS["field_unfit"])
