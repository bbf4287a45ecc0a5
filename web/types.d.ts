/** What the page's other scripts give, as far as ours use it; see ../package.json. */

declare const Idiomorph: {
  morph(old: Element, now: Element, how: { morphStyle: "outerHTML" }): void;
  defaults: { callbacks: Record<string, (...given: any[]) => unknown> };
};

/** Of a shared worker; TypeScript has no library that knows it and the page's document at once. */
declare var onconnect: (event: { ports: readonly MessagePort[] }) => void;
