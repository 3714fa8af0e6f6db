/** Questions to another thread, each of which is answered once. */

interface Asked<Answer> {
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

export class Questions<Answer> {
  /** Until the answer, or until the caller's signal aborts. */
  readonly #asked = new Map<number, Asked<Answer>>();
  #lastId = 0;

  /** Sends a question. @returns the answer; rejects with its failure, or when `signal` aborts before it */
  ask(send: (id: number) => void, signal: AbortSignal): Promise<Answer> {
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const giveUp = (): void => reject(new Error('there was no answer in time'));
    signal.addEventListener('abort', giveUp);
    this.#asked.set(id, { resolve, reject });
    send(id);
    return promise.finally(() => {
      signal.removeEventListener('abort', giveUp);
      this.#asked.delete(id);
    });
  }

  /** Resolves the question; without effect once its caller no longer waits. */
  answered(id: number, answer: Answer): void {
    this.#asked.get(id)?.resolve(answer);
  }

  /** Rejects the question; without effect once its caller no longer waits. */
  failed(id: number, why: string): void {
    this.#asked.get(id)?.reject(new Error(why));
  }
}
