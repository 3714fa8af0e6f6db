/** Bounds of what the node agent runs at a time. */
import type { Limits } from './limit.ts';

export const agentLimits = {
  probesOfPod: {
    value: 32,
    unit: 'entries',
    bounds: 'Probes of all PodProbeMarkers that the agent runs for one Pod',
    beyond:
      'The agent reports further probes of the NodePodProbe once as `Unknown`, with this number in the message, and does not run them. Use fewer probes for the Pod.',
    enforcedBy: 'agent',
  },
  probesOfNode: {
    value: 1024,
    unit: 'entries',
    bounds:
      'Probes of all PodProbeMarkers that the agent runs on one node, divided evenly between namespaces that request more than their share',
    beyond:
      'The agent runs the first probes of each namespace, and reports the others once as `Unknown`, with the reason in the message. Use fewer probes for the Pods.',
    enforcedBy: 'agent',
  },
  probesOfMarker: {
    value: 32,
    unit: 'entries',
    bounds: '`spec.probes` of a PodProbeMarker',
    beyond: 'Admission refuses the object. All PodProbeMarkers together have at most this number of probes for a Pod.',
    enforcedBy: 'validating webhook',
  },
  markerBytes: {
    value: 64 * 1024,
    unit: 'bytes',
    bounds: '`spec.probes` of a PodProbeMarker as JSON without `markerPolicy`, because each Pod has a copy in the list of its node',
    beyond: 'Admission refuses the object. Put long scripts into the image or a ConfigMap, and run them by their path.',
    enforcedBy: 'validating webhook',
  },
  nodeProbeBytes: {
    value: 640 * 1024,
    unit: 'bytes',
    bounds: 'The probes of all namespaces in the NodePodProbe of one node; one namespace may use four times what it leaves for others',
    beyond:
      'The manager omits further probes of the namespace on this node, and the event `ProbesLeftOut` of the PodProbeMarker reports this. Use fewer or shorter probes.',
    enforcedBy: 'manager',
  },
  probeRunsPerSecond: {
    value: 25,
    unit: 'runs',
    bounds: 'Runs of probes that begin on one node in a second',
    beyond: 'The agent runs the probes of the namespaces in turns; a probe runs less often than its `periodSeconds`. Use a longer period.',
    enforcedBy: 'agent',
  },
  probeRunsOfNamespace: {
    value: 64,
    unit: 'runs',
    bounds: 'Runs of probes of one namespace that are in progress on one node at the same time',
    beyond: 'Further runs wait until one of the namespace has ended. Use a shorter `timeoutSeconds`, or commands that end sooner.',
    enforcedBy: 'agent',
  },
  probeMessageInterval: {
    value: 60_000,
    unit: 'milliseconds',
    bounds: 'The shortest time between two results of a probe that differ only in their message',
    beyond: 'The agent reports the message at the end of this time. It reports a change of the state immediately.',
    enforcedBy: 'agent',
  },
  probeMessageBytes: {
    value: 1024,
    unit: 'bytes',
    bounds: 'The message of one probe; half of this on a node with more than 256 probes, and a quarter with more than 512',
    beyond: 'The agent cuts the message. Print the important part first.',
    enforcedBy: 'agent',
  },
  probesShownUnrun: {
    value: 256,
    unit: 'entries',
    bounds:
      'Probes beyond these bounds that the status of one NodePodProbe shows as `Unknown`, divided evenly between namespaces that have more than their share',
    beyond: 'The agent omits further ones of the namespace from the status, and logs their number.',
    enforcedBy: 'agent',
  },
  statusInterval: {
    value: 2400,
    unit: 'milliseconds',
    bounds:
      'The average time between two writes of the status of one NodeImage or NodePodProbe; up to five writes may follow each other immediately',
    beyond: 'The next write contains all results until then.',
    enforcedBy: 'agent',
  },
  environmentBytes: {
    value: 262_144,
    unit: 'bytes',
    bounds: 'The environment that the agent reads with the command `env` in a container',
    beyond:
      'The agent reports no hash of this environment, so a change of the metadata does not restart the container. It retries with increasing delays.',
    enforcedBy: 'agent',
  },
  secretReads: {
    value: 8,
    unit: 'runs',
    bounds: 'Pull secrets that the agent reads at the same time',
    beyond: 'Further ones wait; the namespaces of the jobs take turns.',
    enforcedBy: 'agent',
  },
  secretsOfPull: {
    value: 128,
    unit: 'entries',
    bounds: 'Pull secrets that the agent reads for one pull, divided evenly between the namespaces of its jobs',
    beyond: 'The agent skips further ones of the namespace and logs their number. Name only the secrets that the image needs.',
    enforcedBy: 'agent',
  },
  credentialsOfSecret: {
    value: 8192,
    unit: 'characters',
    bounds: 'User names and passwords in one pull secret that fit one image, with their locations',
    beyond:
      'The agent tries the first ones, and the message of a failed pull names the secret. Use a Secret with only the registries of the image.',
    enforcedBy: 'agent',
  },
  heldSecretBytes: {
    value: 16 * 1024 * 1024,
    unit: 'bytes',
    bounds:
      'The data of pull secrets that the agent caches, each for up to 10 minutes and until its next pass over the NodeImage, at most 30 minutes later',
    beyond: 'The agent drops the oldest ones, and reads them again when a pull needs them.',
    enforcedBy: 'agent',
  },
  pluginRun: {
    value: 60_000,
    unit: 'milliseconds',
    bounds: 'One run of a credential provider plugin',
    beyond: 'The agent ends the plugin and all processes that it has started, and pulls without its credentials.',
    enforcedBy: 'agent',
  },
  pullMessageBytes: {
    value: 1280,
    unit: 'bytes',
    bounds: 'The error text of one failed tag in the status of a NodeImage',
    beyond: 'The agent cuts the text. The log of the container runtime contains the complete text.',
    enforcedBy: 'agent',
  },
} as const satisfies Limits;
