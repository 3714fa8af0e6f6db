/** Changes of Pods at a steady rate: mostly statuses, some annotations, and now and then a Pod that is deleted so that it is replaced. */
import { isFailure, type Client, type StoreReader } from '@kruise/kube';
import { keyOf, pods, type ObjectKey, type Pod } from '@kruise/objects';
import { ticks } from '../each.ts';

type Change = (client: Client, key: ObjectKey, at: number) => Promise<unknown>;

const heartbeat: Change = (client, key, at) => {
  const condition = { type: 'example.com/Heartbeat', status: 'True', reason: 'Alive', message: `beat ${at}` };
  return client.patch(pods, key, { status: { conditions: [condition] } }, { type: 'strategic', subresource: 'status' });
};
const annotate: Change = (client, key, at) =>
  client.patch(pods, key, { metadata: { annotations: { 'example.com/mark': `mark-${at}` } } }, { type: 'merge' });
const remove: Change = (client, key) => client.delete(pods, key, { gracePeriodSeconds: 0 });

/** Of twenty changes. */
const cycle: readonly Change[] = [...Array<Change>(16).fill(heartbeat), ...Array<Change>(3).fill(annotate), remove];

export class Changes {
  made = 0;
  replaced = 0;
  readonly #client: Client;
  readonly #store: StoreReader<Pod>;

  /** @param store the Pods to choose from */
  constructor(client: Client, store: StoreReader<Pod>) {
    this.#client = client;
    this.#store = store;
  }

  /** One after the other until `signal` aborts. @throws what a change fails with */
  async run(perSecond: number, signal: AbortSignal): Promise<void> {
    let keys: readonly ObjectKey[] = [];
    for await (const at of ticks(perSecond, { signal })) {
      if (at % perSecond === 0) keys = this.#store.list().map(keyOf);
      const key = keys[Math.floor(Math.random() * keys.length)];
      if (key !== undefined) await this.#make(key, at);
    }
  }

  async #make(key: ObjectKey, at: number): Promise<void> {
    const change = cycle[at % cycle.length] ?? heartbeat;
    try {
      await change(this.#client, key, at);
    } catch (error) {
      if (isFailure(error, 'NotFound')) return; // replaced since the list was made
      throw error;
    }
    this.made++;
    if (change === remove) this.replaced++;
  }
}
