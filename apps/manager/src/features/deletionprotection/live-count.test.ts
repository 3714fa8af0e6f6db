/** @see spec/deletion-protection.md 4 */
import { describe, expect, it } from '@jest/globals';
import type { ListOptions } from '@kruise/kube';
import { persistentVolumeClaims, type KubeObject } from '@kruise/objects';
import { livePods, type ListLive } from '../../module/live-lists.ts';
import { countLive, type Question } from './live-count.ts';
import { ofNamespace } from './observe-possessions.ts';

const { signal } = new AbortController();

interface Page {
  readonly items: readonly KubeObject[];
  readonly metadata: { readonly continue?: string; readonly remainingItemCount?: number };
}

/** An API server that answers with these pages, for any request. */
function server(...pages: readonly Page[]) {
  const asked: Omit<ListOptions<KubeObject>, 'signal' | 'onItem'>[] = [];
  const list = (_type: unknown, options: ListOptions<KubeObject> = {}): Promise<Page> => {
    const { signal: _signal, onItem: _onItem, ...rest } = options;
    asked.push(rest);
    const page = pages[asked.length - 1];
    return page === undefined ? Promise.reject(new Error('there is no such page')) : Promise.resolve(page);
  };
  return { asked, client: { list: list as unknown as ListLive } };
}

const item = (name: string, more: object = {}): KubeObject => ({ metadata: { name }, ...more });
const question = (more: Partial<Question<KubeObject>> = {}): Question<KubeObject> => ({
  type: livePods,
  counts: ({ metadata }) => metadata.name.startsWith('yes'),
  firstPage: 2,
  ...more,
});

describe('objects that count', () => {
  it('are those of the first page that has any, and all behind it', async () => {
    const { asked, client } = server(
      { items: [item('no'), item('no')], metadata: { continue: 'a' } },
      { items: [item('yes'), item('no'), item('yes')], metadata: { continue: 'b', remainingItemCount: 40 } },
    );
    expect(await countLive(question(), client, signal)).toBe(42);
    expect(asked).toEqual([{ limit: 2 }, { limit: 500, continue: 'a' }]);
  });

  it.each([undefined, ''])('are none when the last page (continue: %j) has none', async (next) => {
    const { asked, client } = server({ items: [item('no')], metadata: next === undefined ? {} : { continue: next } });
    expect(await countLive(question(), client, signal)).toBe(0);
    expect(asked).toHaveLength(1);
  });

  it('are requested in their namespaces, in the form that the API server serves', async () => {
    const { asked, client } = server({ items: [], metadata: {} });
    await countLive(question({ namespace: 'shop', fieldSelector: 'a=b' }), client, signal);
    expect(asked).toEqual([{ limit: 2, namespace: 'shop', fieldSelector: 'a=b' }]);
  });
});

describe('of a namespace', () => {
  const namespace = { metadata: { name: 'shop' } } as never;
  const inPhase = (phase: string): object => ({ status: { phase } });

  it('Pods that have ended do not count where the server has left them in, those of no phase do', async () => {
    const ended = [item('a', inPhase('Succeeded')), item('b', inPhase('Failed'))];
    const { asked, client } = server({ items: ended, metadata: {} }, { items: [], metadata: {} });
    expect(await ofNamespace(client)(namespace, signal)).toEqual({ kind: 'None' });
    expect(asked).toEqual([
      { limit: 500, namespace: 'shop', fieldSelector: 'status.phase!=Succeeded,status.phase!=Failed' },
      { limit: 500, namespace: 'shop' },
    ]);
    const young = server({ items: [...ended, item('c'), item('d', inPhase('Pending'))], metadata: {} });
    expect(await ofNamespace(young.client)(namespace, signal)).toEqual({ kind: 'Active', what: 'active pods 2>0' });
  });

  it(`${persistentVolumeClaims.plural} of no phase do not count`, async () => {
    const { client } = server({ items: [], metadata: {} }, { items: [item('a'), item('b', inPhase('Bound'))], metadata: {} });
    expect(await ofNamespace(client)(namespace, signal)).toEqual({ kind: 'Active', what: '"Bound" status pvc 1>0' });
    const unbound = server({ items: [], metadata: {} }, { items: [item('a')], metadata: {} });
    expect(await ofNamespace(unbound.client)(namespace, signal)).toEqual({ kind: 'None' });
  });
});
