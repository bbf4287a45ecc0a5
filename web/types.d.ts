/** What the page's other scripts give, as far as ours use it; see ../package.json. */

declare const Idiomorph: {
  morph(old: Element, now: Element, how: { morphStyle: "outerHTML" }): void;
  defaults: { callbacks: Record<string, (...given: any[]) => unknown> };
};

/** Of a shared worker; TypeScript has no library that knows it and the page's document at once. */
declare var onconnect: (event: { ports: readonly MessagePort[] }) => void;

interface Dragged {
  item: HTMLElement;
  from: HTMLElement;
  to: HTMLElement;
}

declare const Sortable: {
  get(list: HTMLElement): unknown;
  create(
    list: HTMLElement,
    how: {
      group: string;
      draggable: string;
      filter: string;
      preventOnFilter: boolean;
      sort: boolean;
      forceFallback: boolean;
      fallbackTolerance: number;
      fallbackOnBody: boolean;
      delay: number;
      delayOnTouchOnly: boolean;
      touchStartThreshold: number;
      scrollSensitivity: number;
      animation: number;
      onChoose: () => void;
      onUnchoose: () => void;
      onStart: () => void;
      onEnd: (dragged: Dragged) => void;
    },
  ): unknown;
};
