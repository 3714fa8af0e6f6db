/** NodePodProbe: the schema of its one version (spec/podprobemarker.md 2). */
import { choice, list, object, optional, string, time, type Infer } from '../../schema/builder.ts';
import { namesOf, resourceTypeOf, type KindDeclaration, type KruiseObject } from '../../schema/kind.ts';
import { containerProbe } from '../../schema/probe.ts';
import { reading, right } from '../../schema/rights.ts';

const podProbe = object('The probes of one Pod.', {
  IP: string('IP of the Pod; empty while it has none.'),
  name: string('Name of the Pod.'),
  namespace: string('Namespace of the Pod.'),
  probes: optional(
    list(
      'The probes to run.',
      object('One probe of a container.', {
        containerName: string('The container to probe.'),
        name: string('`<PodProbeMarker>#<probe>`.'),
        probe: containerProbe('How to probe: exactly one of exec, httpGet and tcpSocket.'),
      }),
    ),
  ),
  uid: string('UID of the Pod.'),
});

const spec = object('The probes that the daemon of the node must run.', {
  podProbes: optional(list('The Pods of the node that have probes.', podProbe)),
});

const probeState = object('Result of one probe.', {
  lastProbeTime: optional(time('When the probe last ran.')),
  lastTransitionTime: optional(time('When the state last changed.')),
  message: optional(string('Output of the probe.')),
  name: string('`<PodProbeMarker>#<probe>`.'),
  state: choice('Succeeded, Failed or Unknown.', ['Succeeded', 'Failed', 'Unknown']),
});

const podProbeStatus = object('Results of one Pod.', {
  name: string('Name of the Pod.'),
  namespace: string('Namespace of the Pod.'),
  probeStates: optional(list('Results of its probes.', probeState)),
  uid: string('UID of the Pod.'),
});

const status = object('The results of the probes.', { podProbeStatuses: optional(list('Results by Pod.', podProbeStatus)) });

export type NodePodProbeSpec = Infer<typeof spec>;
export type NodePodProbeStatus = Infer<typeof status>;
export type PodProbe = Infer<typeof podProbe>;
export type PodProbeStatus = Infer<typeof podProbeStatus>;
export type ContainerProbeState = Infer<typeof probeState>;

/** v1alpha1, its only version. Its name is the node's. */
export type NodePodProbe = KruiseObject<NodePodProbeSpec, NodePodProbeStatus>;

export const declaration: KindDeclaration = {
  group: 'apps.kruise.io',
  ...namesOf('NodePodProbe'),
  shortNames: [],
  namespaced: false,
  description:
    'The probes that the daemon of one node must run, and their results. Its name is that of the node. Users normally do not change it.',
  controllerName: 'NodePodProbe-controller',
  conversion: 'None',
  rights: {
    own: ['create', 'delete', 'update'],
    others: [right('', ['pods'], [...reading, 'patch']), right('', ['nodes'], reading), right('', ['pods/status'], ['patch'])],
  },
  versions: [{ name: 'v1alpha1', storage: true, spec, status, columns: [] }],
};

/** How a client addresses NodePodProbes. */
export const nodePodProbes = resourceTypeOf<NodePodProbe>(declaration, 'v1alpha1');
