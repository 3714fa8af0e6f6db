/** Checks of the node agent. */
import { counted, numberAt, stringAt } from '@kruise/objects';
import { objectNames } from '@kruise/api';
import { type Untyped } from '../../objects/untyped.ts';
import { advice, check, fault, named, skipped, sound, type Check } from '../check.ts';
import { inNamespace, isReadyEndpoint, managerGates, nameOf } from '../installation.ts';

const isExcluded = ({ metadata: { labels = {} } }: Untyped): boolean =>
  labels['type'] === 'virtual-kubelet' || (labels['kubernetes.io/os'] ?? 'linux') !== 'linux';

const agentExists = check('agent', 'The agent is installed if its gate is on.', ['managers', 'agents'], ({ managers, agents }, at) => {
  const { KruiseDaemon } = managerGates(managers, at);
  const agent = inNamespace(agents, at.agentNamespace);
  if (inNamespace(managers, at.namespace) === undefined) return skipped('There is no Deployment.');
  if (!KruiseDaemon)
    return agent === undefined
      ? skipped('Gate KruiseDaemon is off.')
      : advice('Gate KruiseDaemon is off, but the agent runs.', 'Upgrade the chart, which removes it.');
  return agent === undefined
    ? fault(
        `DaemonSet ${at.agentNamespace}/${objectNames.daemonSet} does not exist although gate KruiseDaemon is on: no node pulls images, recreates containers or runs probes.`,
        'Install the chart again, or turn the gate off.',
      )
    : sound(nameOf(agent));
});

const daemonSetNext = (at: { readonly agentNamespace: string }): string =>
  `kubectl describe pods -n ${at.agentNamespace} -l control-plane=daemon`;

const agentsReady = check('agent-pods', 'Every agent is ready.', ['agents', 'agentPods'], ({ agents, agentPods }, at) => {
  const agent = inNamespace(agents, at.agentNamespace);
  if (agent === undefined) return skipped('There is no agent.');
  const [desired, ready] = [numberAt(agent, 'status', 'desiredNumberScheduled') ?? 0, numberAt(agent, 'status', 'numberReady') ?? 0];
  const unready = agentPods.filter((pod) => !isReadyEndpoint(pod)).map((pod) => stringAt(pod, 'spec', 'nodeName') ?? nameOf(pod));
  if (ready >= desired)
    return desired === 0
      ? advice('The agent runs on no node.', 'Check daemon.nodeSelector and daemon.affinity.')
      : sound(counted(ready, 'node'));
  return fault(
    `${ready} of ${desired} agents are ready${unready.length === 0 ? '; Pods of the others do not exist' : `; not on ${named(unready)}`}.`,
    daemonSetNext(at),
  );
});

const nodesCovered = check(
  'agent-nodes',
  'Every Linux node has an agent.',
  ['agents', 'agentPods', 'nodes'],
  ({ agents, agentPods, nodes }, at) => {
    if (inNamespace(agents, at.agentNamespace) === undefined) return skipped('There is no agent.');
    const covered = new Set(agentPods.map((pod) => stringAt(pod, 'spec', 'nodeName')));
    const bare = nodes.filter((node) => !isExcluded(node) && !covered.has(node.metadata.name)).map(({ metadata }) => metadata.name);
    return bare.length === 0
      ? sound(counted(covered.size, 'node'))
      : advice(
          `No agent on ${named(bare)}.`,
          'Ignore this if daemon.nodeSelector or daemon.affinity excludes them; these nodes pull no images and recreate no containers.',
        );
  },
);

const agentRollout = check('agent-rollout', 'All agents run the current template.', ['agents'], ({ agents }, at) => {
  const agent = inNamespace(agents, at.agentNamespace);
  if (agent === undefined) return skipped('There is no agent.');
  const [desired, updated] = [
    numberAt(agent, 'status', 'desiredNumberScheduled') ?? 0,
    numberAt(agent, 'status', 'updatedNumberScheduled') ?? 0,
  ];
  return updated >= desired ? sound(counted(updated, 'node')) : advice(`${updated} of ${desired} agents are updated.`, daemonSetNext(at));
});

export const agentChecks: readonly Check[] = [agentExists, agentsReady, nodesCovered, agentRollout];
