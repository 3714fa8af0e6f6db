/** PodProbeMarker: the schema of its one version (spec/podprobemarker.md 2). */
import { choice, int64, list, object, optional, string, stringMap, type Infer } from '../../schema/builder.ts';
import { namesOf, resourceTypeOf, type KindDeclaration, type KruiseObject } from '../../schema/kind.ts';
import { containerProbe } from '../../schema/probe.ts';
import { labelSelector } from '../../schema/shared.ts';
import { reading, right } from '../../schema/rights.ts';
import { podProbeMarkerFinalizer } from './names.ts';

const markerPolicy = object('Labels and annotations of a Pod while the probe is in one state.', {
  annotations: optional(stringMap('Annotations to set. Labels or annotations must be set.')),
  labels: optional(stringMap('Labels to set. Labels or annotations must be set.')),
  state: choice('Succeeded or Failed; each once in the list.', ['Succeeded', 'Failed']),
});

const probe = object('One probe of a container.', {
  containerName: string('The container to probe; Pods without it are ignored.'),
  markerPolicy: optional(
    list('Labels and annotations that Pods get for the result. Required when podConditionType is empty.', markerPolicy),
  ),
  name: string('Name of the probe, unique in the list, without #.'),
  podConditionType: optional(
    string('Type of the Pod condition that reports the result, unique in the list. Empty: no condition; markerPolicy is required then.'),
  ),
  probe: containerProbe('How to probe: exactly one of exec, httpGet and tcpSocket.'),
});

const spec = object('Which Pods are probed, and how.', {
  probes: list('The probes to run in each Pod; at least one.', probe),
  selector: labelSelector('The Pods of the namespace, by labels; must not be empty and cannot be changed later.'),
});

const status = object('The most recently observed status.', {
  matchedPods: optional(int64('Number of Pods that match.')),
  observedGeneration: int64('Generation that this status was computed from.'),
});

export type PodProbeMarkerSpec = Infer<typeof spec>;
export type PodProbeMarkerStatus = Infer<typeof status>;
export type PodContainerProbe = Infer<typeof probe>;
export type ProbeMarkerPolicy = Infer<typeof markerPolicy>;

/** v1alpha1, its only version. */
export type PodProbeMarker = KruiseObject<PodProbeMarkerSpec, PodProbeMarkerStatus>;

export const declaration: KindDeclaration = {
  group: 'apps.kruise.io',
  ...namesOf('PodProbeMarker'),
  shortNames: [],
  namespaced: true,
  description:
    'Runs probes of your own in the containers of a set of Pods and writes the results into Pod conditions, labels and annotations.',
  controllerName: 'PodProbeMarker-controller',
  finalizer: podProbeMarkerFinalizer,
  conversion: 'None',
  admission: { validates: ['CREATE', 'UPDATE'] },
  rights: {
    own: ['patch'],
    status: ['update'],
    others: [
      right('', ['pods'], [...reading, 'patch']),
      right('', ['nodes'], reading),
      right('', ['pods/status'], ['patch']),
      right('apps.kruise.io', ['nodepodprobes'], [...reading, 'update']),
    ],
  },
  atUninstall: { kind: 'CleanUp' },
  versions: [{ name: 'v1alpha1', storage: true, spec, status, columns: [] }],
};

/** How a client addresses PodProbeMarkers. */
export const podProbeMarkers = resourceTypeOf<PodProbeMarker>(declaration, 'v1alpha1');
