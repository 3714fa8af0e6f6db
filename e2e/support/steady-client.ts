/** A client that asks a web server at a constant rate, as the users of a Service do. */
import { Agent, get } from 'node:http';

/** In ms. Only a request without an answer takes this long, however slow the machine. */
const longestAnswerMs = 30_000;
/** Between two looks at the clock, in ms. */
const tickMs = 5;

/** What became of the requests that ended in an interval. */
export interface Answers {
  /** What each failed request reports. */
  readonly failures: readonly string[];
  /** How often each text was the answer. */
  readonly byText: ReadonlyMap<string, number>;
}

/** Each request has a connection of its own, so that kube-proxy chooses a Pod for each. */
const agent = new Agent({ keepAlive: false });

/** Resolves with the text of the answer. @param localAddress of this machine, from which the request comes */
export const ask = (url: string, localAddress?: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const from = localAddress === undefined ? {} : { localAddress };
    const request = get(url, { agent, timeout: longestAnswerMs, ...from }, (response) => {
      let text = '';
      response.on('data', (part: Buffer) => (text += part.toString()));
      response.on('error', reject);
      response.on('end', () =>
        response.statusCode === 200 ? resolve(text.trim()) : reject(new Error(`status ${String(response.statusCode)}`)),
      );
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${longestAnswerMs} ms`)));
    request.on('error', reject);
  });

/** Sends requests from its creation on, also those that fell due while this process had no CPU time. */
export class SteadyClient {
  readonly #url: string;
  readonly #perSecond: number;
  readonly #timer: NodeJS.Timeout;
  readonly #open = new Set<Promise<void>>();
  readonly #began = performance.now();
  #sent = 0;
  #failures: string[] = [];
  #byText = new Map<string, number>();

  constructor(url: string, perSecond: number) {
    this.#url = url;
    this.#perSecond = perSecond;
    this.#timer = setInterval(() => this.#sendDue(), tickMs);
  }

  #sendDue(): void {
    const due = ((performance.now() - this.#began) / 1000) * this.#perSecond;
    for (; this.#sent < due; this.#sent++) this.#send();
  }

  #send(): void {
    const answered = ask(this.#url).then(
      (text) => void this.#byText.set(text, (this.#byText.get(text) ?? 0) + 1),
      (error: unknown) => void this.#failures.push(String(error)),
    );
    this.#open.add(answered);
    void answered.finally(() => this.#open.delete(answered));
  }

  /** @returns the answers since the last call */
  take(): Answers {
    const answers = { failures: this.#failures, byText: this.#byText };
    this.#failures = [];
    this.#byText = new Map();
    return answers;
  }

  /** Sends no more, and waits for what was sent. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#open);
  }
}
