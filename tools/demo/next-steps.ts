/** The commands that the demo prints at its end. Pure. */
import { dirname } from 'node:path';
import { cloneSetKey, namespace, sidecarSetKey, statefulSetKey } from './names.ts';

/** What happened to the cluster that the demo ran on; `withFlags` are those that start another one like it. */
export type Ending =
  | { readonly kind: 'Kept'; readonly kubeconfigPath: string; readonly kubectl: string }
  | { readonly kind: 'Removed'; readonly withFlags: readonly string[] }
  | { readonly kind: 'CleanedUp'; readonly server: string };

const demo = (...flags: readonly string[]): string => `npm run demo -- ${flags.join(' ')}`;

const look = [
  `kubectl -n ${namespace} get clone,sidecarset,asts,pub,pods`,
  `kubectl -n ${namespace} get events --sort-by=.metadata.creationTimestamp`,
];

const change = [
  `kubectl -n ${namespace} scale clone ${cloneSetKey.name} --replicas=4`,
  `kubectl -n ${namespace} patch clone ${cloneSetKey.name} --type=json -p '[{"op":"replace","path":"/spec/template/spec/containers/0/image","value":"nginx:1.15.1"}]'`,
  `kubectl patch sidecarset ${sidecarSetKey.name} --type=json -p '[{"op":"replace","path":"/spec/containers/0/image","value":"busybox:1.35"}]'`,
  `kubectl -n ${namespace} delete pod ${statefulSetKey.name}-0 ${statefulSetKey.name}-1   # the budget refuses the second one`,
];

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);

/** @returns the lines to print, the commands indented */
export function nextSteps(ending: Ending): readonly string[] {
  switch (ending.kind) {
    case 'Kept':
      return [
        'The cluster stays up. Use it in this shell:',
        ...indented([`export KUBECONFIG=${ending.kubeconfigPath} PATH=${dirname(ending.kubectl)}:$PATH`]),
        'Look at what the demo created:',
        ...indented(look),
        'Change something, and watch the Pods in a second terminal:',
        ...indented([`kubectl -n ${namespace} get pods --watch`, ...change]),
        'Remove the cluster:',
        ...indented([demo('--down')]),
        'Continue with docs/quick-start.md.',
      ];
    case 'Removed':
      return [
        'The cluster has been removed. Start one that stays, with the commands to use it:',
        ...indented([demo('--keep', ...ending.withFlags)]),
        'Continue with docs/quick-start.md.',
      ];
    case 'CleanedUp':
      return [
        `What the demo created on ${ending.server} is being deleted. Continue with your own objects:`,
        ...indented(['kubectl explain clone.spec.updateStrategy', 'kubectl get clone,sidecarset,asts,pub --all-namespaces']),
        'Continue with docs/quick-start.md.',
      ];
  }
}
