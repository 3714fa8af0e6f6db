/** Which ContainerRecreateRequests an event concerns. @see spec/containerrecreaterequest.md 5.1 */
import { labels, type ContainerRecreateRequest } from '@kruise/api';
import type { StoreEvent, StoreReader } from '@kruise/kube';
import { deepEqual, keyOf, type Node, type ObjectKey, type Pod, type Index } from '@kruise/objects';
import { isCompleted } from '@kruise/kinds/containerrecreaterequest';

const labelOf = (request: ContainerRecreateRequest, label: string): readonly string[] => {
  const value = request.metadata.labels?.[label];
  return value === undefined ? [] : [value];
};

export const byPodUid: Index<ContainerRecreateRequest> = { name: 'podUid', valuesOf: (request) => labelOf(request, labels.recreatePodUid) };
export const byNode: Index<ContainerRecreateRequest> = { name: 'node', valuesOf: (request) => labelOf(request, labels.recreateNodeName) };

type Requests = StoreReader<ContainerRecreateRequest>;

const unfinished = (requests: Requests, index: Index<ContainerRecreateRequest>, value: string): readonly ObjectKey[] =>
  requests
    .byIndex(index, value)
    .filter((request) => !isCompleted(request))
    .map(keyOf);

/** Whether requests for the Pod may have something to do. */
function concernsRequests(event: StoreEvent<Pod>): boolean {
  if (event.kind !== 'Updated') return true;
  const { object, previous } = event;
  return (
    object.metadata.deletionTimestamp !== previous.metadata.deletionTimestamp ||
    !deepEqual(object.status?.containerStatuses, previous.status?.containerStatuses)
  );
}

export const requestsOfPod = (event: StoreEvent<Pod>, requests: Requests): readonly ObjectKey[] =>
  concernsRequests(event) ? unfinished(requests, byPodUid, event.object.metadata.uid ?? '') : [];

export const requestsOfNode = ({ kind, object }: StoreEvent<Node>, requests: Requests): readonly ObjectKey[] =>
  kind === 'Deleted' ? unfinished(requests, byNode, object.metadata.name) : [];
