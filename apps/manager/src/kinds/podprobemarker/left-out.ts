/** The nodes whose lists had no room for probes of a marker. */
import type { PodProbeMarker } from '@kruise/api';
import { formatKey, keyOf, sortUtf8 } from '@kruise/objects';
import { leftOutMessage } from './events.ts';

interface Entry {
  readonly key: string;
  readonly nodes: ReadonlySet<string>;
}

export class LeftOut {
  /** By uid of the marker. An entry leaves when all lists have room, and with the marker. */
  readonly #entries = new Map<string, Entry>();

  /** Markers that found no room on the node, as `<namespace>/<name>`. */
  on(node: string): readonly string[] {
    return [...this.#entries.values()].filter(({ nodes }) => nodes.has(node)).map(({ key }) => key);
  }

  /** @returns the message of the event, where it is another than before; undefined otherwise, and when all lists have room */
  note(marker: PodProbeMarker, nodes: ReadonlySet<string>): string | undefined {
    const { uid = '' } = marker.metadata;
    const before = this.#entries.get(uid)?.nodes;
    if (nodes.size === 0) {
      this.#entries.delete(uid);
      return undefined;
    }
    this.#entries.set(uid, { key: formatKey(keyOf(marker)), nodes });
    const message = leftOutMessage(sortUtf8([...nodes]));
    return before !== undefined && message === leftOutMessage(sortUtf8([...before])) ? undefined : message;
  }

  forget(uid: string): void {
    this.#entries.delete(uid);
  }
}
