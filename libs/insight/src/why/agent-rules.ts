/** Causes in what the agent of a node does, or does not do: pulls of images and recreations of containers. */
import type { ImageTagSpec, NodeImage } from '@kruise/api';
import { silentAgent } from '@kruise/kinds/containerrecreaterequest';
import { imagesOf, ownersOf, tagsOf, tagStatusAt, versionOf } from '@kruise/kinds/images';
import { silentNode } from '@kruise/kinds/nodeimage';
import { counted, memberAt, numberAt, objectsAt, stringAt } from '@kruise/objects';
import type { AnyObject, Seen } from '../seen.ts';
import { pullsOf } from '../tree/pod-node.ts';
import { evidenceAt, fault, nameOf, type Cause, type Evidence } from './cause.ts';
import type { ObjectRule } from './object-rule.ts';
import { isLongAgo } from './pod-rule.ts';

const agentAbsent = (node: string, evidence: Evidence | readonly Evidence[]): Cause =>
  fault(
    'AgentAbsent',
    `the agent of node ${node} does not report`,
    'Check the kruise-daemon Pod on the node: kubectl get pods -A -o wide -l control-plane=daemon.',
    evidence,
  );

/** Returns a pull that the agent has not begun for a minute. An agent answers every new task in its status. */
function unansweredPull(image: AnyObject, seen: Seen, isOfInterest: (tag: ImageTagSpec) => boolean): Cause | undefined {
  const nodeImage = image as unknown as NodeImage;
  const tasks = Object.entries(imagesOf(nodeImage)).flatMap(([name, one]) => tagsOf(one).map((tag) => ({ name, tag })));
  for (const { name, tag } of tasks) {
    const status = tagStatusAt(nodeImage, { name, tag: tag.tag });
    const isAnswered = status !== undefined && versionOf(status) === versionOf(tag);
    if (isAnswered || !isOfInterest(tag) || !isLongAgo(tag.createdAt, seen)) continue;
    const text = status === undefined ? 'absent' : `version ${versionOf(status)}, while version ${versionOf(tag)} is requested`;
    return agentAbsent(image.metadata.name, evidenceAt(image, `status.imageStatuses[${name}:${tag.tag}]`, text, tag.createdAt));
  }
  return undefined;
}

export const pullJob: ObjectRule = (object, seen) => {
  const images = seen.all('apps.kruise.io/NodeImage');
  const nodes = memberAt(object, 'status', 'failedNodes');
  if (Array.isArray(nodes) && nodes.length > 0) return failedPull(object, nodes as readonly string[], images);
  if (stringAt(object, 'status', 'completionTime') !== undefined || (numberAt(object, 'status', 'active') ?? 0) === 0) return undefined;
  const isOwn = (tag: ImageTagSpec): boolean => ownersOf(tag).some(({ uid }) => uid === object.metadata.uid);
  return images.map((image) => unansweredPull(image, seen, isOwn)).find((cause) => cause !== undefined);
};

function failedPull(object: AnyObject, nodes: readonly string[], images: readonly AnyObject[]): Cause {
  const text = nodes.join(', ');
  const image = images.find(({ metadata }) => metadata.name === nodes[0]);
  const pull = pullsOf(image).find(({ phase }) => phase === 'Failed');
  const evidence = [
    evidenceAt(object, 'status.failedNodes', text),
    ...(image && pull ? [evidenceAt(image, `status.imageStatuses[${pull.image}]`, pull.message)] : []),
  ];
  return pull?.message === silentNode
    ? agentAbsent(image?.metadata.name ?? '', evidence)
    : fault(
        'PullFails',
        `the image cannot be pulled on ${counted(nodes.length, 'node')}: ${text}`,
        'Check the name of the image, and spec.pullSecrets.',
        evidence,
      );
}

export const nodeImage: ObjectRule = (object, seen) => {
  const failed = pullsOf(object).find(({ phase }) => phase === 'Failed');
  if (failed === undefined) return unansweredPull(object, seen, () => true);
  const evidence = evidenceAt(object, 'status.imageStatuses', failed.message);
  return failed.message === silentNode
    ? agentAbsent(object.metadata.name, evidence)
    : fault(
        'PullFails',
        `image ${failed.image} cannot be pulled`,
        'Check the name of the image and the pull secrets of its ImagePullJob.',
        evidence,
      );
};

const notBegun = (object: AnyObject, evidence: Evidence): Cause =>
  fault(
    'AgentAbsent',
    `the agent of the node of Pod ${stringAt(object, 'spec', 'podName') ?? ''} does not start the request`,
    'Check the kruise-daemon Pod on the node of the Pod: kubectl get pods -A -o wide -l control-plane=daemon.',
    evidence,
  );

const recreateFails = (message: string, evidence: Evidence): Cause =>
  fault('RecreateFails', message, 'Read the message; then create the request again.', evidence);

/** Why a request has ended without having recreated every container. */
function endedEarly(object: AnyObject): Cause | undefined {
  const states = objectsAt(object, 'status', 'containerRecreateStates');
  const message = stringAt(object, 'status', 'message') ?? '';
  const evidence = evidenceAt(object, 'status.message', message);
  if (message === silentAgent) return notBegun(object, evidence);
  const isDone = states.length > 0 && states.every(({ phase }) => phase === 'Succeeded');
  return message === '' || isDone ? undefined : recreateFails(`${nameOf(object)} ended early`, evidence);
}

export const recreateRequest: ObjectRule = (object, seen) => {
  const failed = objectsAt(object, 'status', 'containerRecreateStates').find(({ phase }) => phase === 'Failed');
  if (failed !== undefined) {
    const message = stringAt(failed, 'message') ?? stringAt(object, 'status', 'message') ?? '';
    const evidence = evidenceAt(object, 'status.containerRecreateStates', message);
    return recreateFails(`container ${stringAt(failed, 'name') ?? ''} cannot be recreated`, evidence);
  }
  const phase = stringAt(object, 'status', 'phase') ?? 'Pending';
  if (phase === 'Completed') return endedEarly(object);
  return phase === 'Pending' && isLongAgo(object.metadata.creationTimestamp, seen)
    ? notBegun(object, evidenceAt(object, 'status.phase', phase))
    : undefined;
};
