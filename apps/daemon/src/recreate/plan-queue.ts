/** Decides which of the requests for one Pod is processed, and which have to wait for it. Pure. @see spec/containerrecreaterequest.md 5.3 */
import type { ContainerRecreateRequest } from '@kruise/api';
import { compareUtf8, parseTime } from '@kruise/objects';

export interface RequestQueue {
  /** The request to process; undefined when nothing is left to do. */
  readonly picked: ContainerRecreateRequest | undefined;
  /** Requests that wait without being marked so yet. */
  readonly unaware: readonly ContainerRecreateRequest[];
}

const rankOfPhase: Readonly<Record<string, number>> = { Recreating: 0, Pending: 1 };
const phaseOf = (request: ContainerRecreateRequest): string => request.status?.phase ?? '';
const rankOf = (request: ContainerRecreateRequest): number => rankOfPhase[phaseOf(request)] ?? 2;
const createdAt = ({ metadata }: ContainerRecreateRequest): number => parseTime(metadata.creationTimestamp) ?? 0;

const isFinished = (request: ContainerRecreateRequest): boolean =>
  phaseOf(request) === 'Completed' || (request.status?.completionTime ?? '') !== '' || request.metadata.deletionTimestamp !== undefined;

/** Orders requests: begun ones first, then the oldest; of the same second by name. */
const compareRequests = (a: ContainerRecreateRequest, b: ContainerRecreateRequest): number =>
  rankOf(a) - rankOf(b) || createdAt(a) - createdAt(b) || compareUtf8(a.metadata.name, b.metadata.name);

/** Plans the queue. @param requests for one Pod, in any order */
export function planQueue(requests: readonly ContainerRecreateRequest[]): RequestQueue {
  const [picked, ...others] = requests.filter((request) => !isFinished(request)).sort(compareRequests);
  return { picked, unaware: others.filter((request) => phaseOf(request) === '') };
}
