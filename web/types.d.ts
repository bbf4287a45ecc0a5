/** What the page's other scripts give, as far as ours use it; see ../package.json. */

declare const htmx: { trigger(element: Element, event: string): void };

declare const Idiomorph: { defaults: { callbacks: Record<string, (...given: any[]) => unknown> } };

/** Of a shared worker; TypeScript has no library that knows it and the page's document at once. */
declare var onconnect: (event: { ports: readonly MessagePort[] }) => void;
