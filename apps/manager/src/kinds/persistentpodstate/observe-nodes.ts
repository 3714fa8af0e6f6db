/** Nodes, read where the cache does not know them. */
import { ApiError, isFailure, type Client, type StoreReader } from '@kruise/kube';
import { nodes, type Node } from '@kruise/objects';

type Labels = Readonly<Record<string, string>>;

export interface SeenNodes {
  /** By name; without nodes that are deleted or could not be read. */
  readonly labels: ReadonlyMap<string, Labels>;
  /** The API server said that there are none of these names. */
  readonly lost: ReadonlySet<string>;
  /** The last failure of a read; the read must be retried. */
  readonly failure?: Error;
}

/**
 * @param names whose labels are wanted
 * @param doubted of which only matters whether they exist; a node in the cache does
 */
export async function observeNodes(
  store: StoreReader<Node>,
  client: Pick<Client, 'get'>,
  { names, doubted }: { readonly names: readonly string[]; readonly doubted: readonly string[] },
  signal: AbortSignal,
): Promise<SeenNodes> {
  const labels = new Map<string, Labels>();
  const lost = new Set<string>();
  let failure: Error | undefined;
  for (const name of new Set([...names, ...doubted])) {
    const key = { namespace: '', name };
    try {
      const node = store.get(key) ?? (await client.get(nodes, key, { signal }));
      labels.set(name, node.metadata.labels ?? {});
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (isFailure(error, 'NotFound')) lost.add(name);
      else failure = error;
    }
  }
  return { labels, lost, ...(failure === undefined ? {} : { failure }) };
}
