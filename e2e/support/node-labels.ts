/** Labels of nodes that one test file sets, and takes away again. */
import type { Client } from '@kruise/kube';
import { nodes } from '@kruise/objects';

export class NodeLabels {
  readonly #client: Client;
  readonly #prefix: string;

  /** @param prefix of the file's keys alone, e.g. `example.com/daemonset-create` */
  constructor(client: Client, prefix: string) {
    this.#client = client;
    this.#prefix = prefix;
  }

  /** The whole key. */
  key(name: string): string {
    return `${this.#prefix}.${name}`;
  }

  /** @param value null takes it away */
  set(node: string, name: string, value: string | null): Promise<void> {
    return this.#patch(node, { [this.key(name)]: value });
  }

  /** Takes away what this file has set, in an earlier try as well. */
  async clear(): Promise<void> {
    for (const { metadata } of (await this.#client.list(nodes)).items) {
      const own = Object.keys(metadata.labels ?? {}).filter((key) => key.startsWith(`${this.#prefix}.`));
      if (own.length > 0) await this.#patch(metadata.name, Object.fromEntries(own.map((key) => [key, null])));
    }
  }

  async #patch(name: string, labels: Readonly<Record<string, string | null>>): Promise<void> {
    await this.#client.patch(nodes, { namespace: '', name }, { metadata: { labels } }, { type: 'merge' });
  }
}
