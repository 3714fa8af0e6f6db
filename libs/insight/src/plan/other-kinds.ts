/** What changes of kinds mean whose controllers change no Pod that exists. */
/** By `group/Kind`. */
export const sentences: Readonly<Record<string, string>> = {
  'apps.kruise.io/BroadcastJob': 'Pods that exist are not changed; nodes that have none get one of the new template',
  'apps.kruise.io/AdvancedCronJob': 'the next scheduled run uses the new template',
  'apps.kruise.io/WorkloadSpread': 'Pods that are created afterwards are spread by it; Pods that exist are not changed',
  'apps.kruise.io/PodProbeMarker': 'the agents of the nodes probe the containers of matching Pods; no Pod is restarted',
  'apps.kruise.io/PersistentPodState': 'Pods that are created afterwards are placed by it; Pods that exist are not changed',
  'apps.kruise.io/ContainerRecreateRequest': 'the agent of the node restarts the listed containers; the Pod stays',
  'apps.kruise.io/ImagePullJob': 'nodes pull the image; no Pod is changed',
  'apps.kruise.io/ImageListPullJob': 'nodes pull the images; no Pod is changed',
  'apps.kruise.io/NodeImage': 'the node pulls the images; no Pod is changed',
  'apps.kruise.io/EphemeralJob': 'ephemeral containers are added to matching Pods; no container is restarted',
  'apps.kruise.io/ResourceDistribution': 'the resource is written into the chosen namespaces; no Pod is changed',
  'policy.kruise.io/PodUnavailableBudget': 'it limits later updates, deletions and evictions; no Pod is changed',
};
