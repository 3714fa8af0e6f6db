/** The calls of handlers to the API server, which are short because a caller waits. */
import type { KindDeclaration } from '@kruise/api';
import type { CallOptions, Client } from '@kruise/kube';
import { admissionLimits } from '@kruise/objects';
import type { LiveReads, StatusWrites } from '../module/handler-dependencies.ts';

/** Timeout of a live call. A review that is refused, or decided by caches, does less harm than one that waits longer. */
export const liveCallMs = 2000;

const quick = <O extends CallOptions>(options: O | undefined): O & CallOptions => ({
  ...(options as O),
  timeoutMs: Math.min(options?.timeoutMs ?? liveCallMs, liveCallMs),
});

const callOptions = (signal: AbortSignal | undefined, timeoutMs?: number): CallOptions => ({
  ...(signal === undefined ? {} : { signal }),
  ...(timeoutMs === undefined ? {} : { timeoutMs }),
});

/** Which kinds a group version serves. Any other path may be that of a list. */
const isGroupVersion = /^\/(api|apis\/[^/]+)\/[^/]+$/;

/** Reads of the client that fail after 2 s. */
export const quickReads = (client: LiveReads): LiveReads => ({
  get: (type, key, options) => client.get(type, key, quick(options)),
  list: (type, options) =>
    client.list(type, { ...options, ...quick(options), limit: Math.min(options.limit, admissionLimits.liveListPage.value) }),
  raw: (path, { signal, timeoutMs } = {}) => {
    if (!isGroupVersion.test(path)) throw new Error(`admission never reads ${path}`);
    return client.raw(path, { ...quick(callOptions(signal, timeoutMs)), method: 'GET' });
  },
});

/**
 * The only writes that handlers have, which fail after 2 s.
 *
 * @param client adds what it wrote to the caches of the handlers
 */
export const quickWrites = (client: Pick<Client, 'updateStatus'>, kinds: readonly KindDeclaration[]): StatusWrites => ({
  updateStatus: (type, object, signal) => {
    const counts = kinds.some(
      ({ group, kind, countsAtAdmission }) => countsAtAdmission === true && group === type.group && kind === type.kind,
    );
    if (!counts) throw new Error(`admission never writes a ${type.kind}`);
    return client.updateStatus(type, object, quick(callOptions(signal)));
  },
});
