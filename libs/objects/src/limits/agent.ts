/** Bounds of what the node agent runs at a time. */
import type { Limits } from './limit.ts';

export const agentLimits = {
  probesOfPod: {
    value: 32,
    unit: 'entries',
    bounds: 'Probes of all PodProbeMarkers that the agent runs for one Pod',
    beyond:
      'The agent reports further probes of the NodePodProbe as `Unknown` with this number as message, once, and does not run them. Use fewer probes for the Pod.',
    enforcedBy: 'agent',
  },
  probesOfNode: {
    value: 1024,
    unit: 'entries',
    bounds:
      'Probes of all PodProbeMarkers that the agent runs on one node, shared out evenly between namespaces that ask for more than their share',
    beyond:
      'The agent runs the first probes of each namespace, and reports the others as `Unknown` with the reason as message, once. Use fewer probes for the Pods.',
    enforcedBy: 'agent',
  },
  probesOfMarker: {
    value: 32,
    unit: 'entries',
    bounds: '`spec.probes` of a PodProbeMarker',
    beyond: 'Admission refuses the object. A Pod has no more probes than that, of all PodProbeMarkers together.',
    enforcedBy: 'validating webhook',
  },
  markerBytes: {
    value: 64 * 1024,
    unit: 'bytes',
    bounds: '`spec.probes` of a PodProbeMarker as JSON without `markerPolicy`: each Pod has a copy in the list of its node',
    beyond: 'Admission refuses the object. Put long scripts into the image or a ConfigMap, and run them by their path.',
    enforcedBy: 'validating webhook',
  },
  nodeProbeBytes: {
    value: 640 * 1024,
    unit: 'bytes',
    bounds: 'The probes of all namespaces in the NodePodProbe of one node; a namespace may hold four times what it leaves for others',
    beyond:
      'The manager leaves out further probes of the namespace on this node, and reports it by the event `ProbesLeftOut` of the PodProbeMarker. Use fewer or shorter probes.',
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
    bounds: 'Runs of probes of one namespace that are under way on one node at the same time',
    beyond: 'Further runs wait until one of the namespace has ended. Use a shorter `timeoutSeconds`, or commands that end sooner.',
    enforcedBy: 'agent',
  },
  probeMessageInterval: {
    value: 60_000,
    unit: 'milliseconds',
    bounds: 'Time between two results of a probe that differ by their message only',
    beyond: 'The agent reports the message that the probe has when the time has passed. A change of the state is reported at once.',
    enforcedBy: 'agent',
  },
  probeMessageBytes: {
    value: 1024,
    unit: 'bytes',
    bounds: 'The message of one probe; on a node with more than 256 probes half as much, with more than 512 a quarter',
    beyond: 'The agent cuts the message. Print what matters first.',
    enforcedBy: 'agent',
  },
  probesShownUnrun: {
    value: 256,
    unit: 'entries',
    bounds:
      'Probes beyond these bounds that the status of one NodePodProbe shows as `Unknown`, shared out evenly between namespaces that have more than their share',
    beyond: 'The agent leaves further ones of the namespace out of the status, and logs how many there are.',
    enforcedBy: 'agent',
  },
  statusInterval: {
    value: 2400,
    unit: 'milliseconds',
    bounds:
      'The time between two writes of the status of one NodeImage or NodePodProbe in the long run; five writes may follow each other immediately',
    beyond: 'The next write has all results until then.',
    enforcedBy: 'agent',
  },
  environmentBytes: {
    value: 262_144,
    unit: 'bytes',
    bounds: 'The environment that the agent reads by the command `env` of a container',
    beyond:
      'The agent reports no hash of this environment, so that a change of its metadata restarts no container, and tries again ever later.',
    enforcedBy: 'agent',
  },
  secretReads: {
    value: 8,
    unit: 'runs',
    bounds: 'Pull secrets that the agent reads at the same time',
    beyond: 'Further ones wait, those of the namespaces of the jobs in turns.',
    enforcedBy: 'agent',
  },
  secretsOfPull: {
    value: 128,
    unit: 'entries',
    bounds: 'Pull secrets that the agent reads for one pull, shared out evenly between the namespaces of its jobs',
    beyond: 'The agent leaves out further ones of the namespace and logs how many there are. Name the secrets that the image needs.',
    enforcedBy: 'agent',
  },
  credentialsOfSecret: {
    value: 8192,
    unit: 'characters',
    bounds: 'User names and passwords in one pull secret that fit one image, with their locations',
    beyond:
      'The agent tries the first ones, and the message of a failed pull names the secret. Use a Secret with the registries of the image only.',
    enforcedBy: 'agent',
  },
  heldSecretBytes: {
    value: 16 * 1024 * 1024,
    unit: 'bytes',
    bounds:
      'The data of pull secrets that the agent keeps, each for up to 10 minutes and until its next look at the NodeImage, 30 minutes later at most',
    beyond: 'The agent lets those go that it read first, and reads them again when a pull needs them.',
    enforcedBy: 'agent',
  },
  pluginRun: {
    value: 60_000,
    unit: 'milliseconds',
    bounds: 'One run of a credential provider plugin',
    beyond: 'The agent ends the plugin with all that it has started, and pulls without its credentials.',
    enforcedBy: 'agent',
  },
  pullMessageBytes: {
    value: 1280,
    unit: 'bytes',
    bounds: 'The error text of one failed tag in the status of a NodeImage',
    beyond: 'The agent cuts the text. The log of the container runtime has the whole one.',
    enforcedBy: 'agent',
  },
} as const satisfies Limits;
