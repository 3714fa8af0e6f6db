/** Questions to another thread, each of which is answered once. */

interface Asked {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class Questions {
  /** Until the answer, or until the one who asked gave up. */
  readonly #asked = new Map<number, Asked>();
  #lastId = 0;

  /** @param send the question. Rejects with the failure of the answer, or when `signal` aborts before it */
  ask(send: (id: number) => void, signal: AbortSignal): Promise<void> {
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const giveUp = (): void => reject(new Error('there was no answer in time'));
    signal.addEventListener('abort', giveUp);
    this.#asked.set(id, { resolve, reject });
    send(id);
    return promise.finally(() => {
      signal.removeEventListener('abort', giveUp);
      this.#asked.delete(id);
    });
  }

  answered(id: number, failure: string | undefined): void {
    const asked = this.#asked.get(id);
    if (failure === undefined) asked?.resolve();
    else asked?.reject(new Error(failure));
  }
}
