/** The command line of kruise-daemon. @see spec/daemon.md 2 */
import { seconds } from '@kruise/objects';
import { durationFlag, intFlag, logFlags, profilingFlags, stringFlag, type FlagDefinitions, type FlagValues } from '@kruise/process';

/** Every flag of the daemon with its default. */
export const daemonFlags = {
  addr: stringFlag(':10221', 'Address of /healthz, /readyz and /metrics.'),
  ...profilingFlags(10222),
  'socket-file': stringFlag('', 'CRI socket, relative to --host-run-dir; if empty, the agent searches the usual paths.'),
  'host-run-dir': stringFlag('/hostvarrun', "Where the host's run directory is mounted."),
  'plugin-config-file': stringFlag('/kruise/CredentialProviderPlugin.yaml', 'Configuration of the credential provider plugins.'),
  'plugin-bin-dir': stringFlag('/kruise/plugins', 'Directory of the credential provider plugins.'),
  'max-workers-for-pull-image': intFlag(-1, 'Images that are pulled at the same time; 0 or less for any number.', {
    aliases: ['max-concurrency'],
  }),
  'rest-config-qps': intFlag(0, 'Requests a second to the API server; 0 for 20.'),
  'rest-config-burst': intFlag(0, 'Burst of requests that --rest-config-qps allows; 0 for 30.'),
  'feature-gates': stringFlag('', 'Name=true or Name=false, separated by commas; AllAlpha and AllBeta set all gates of that maturity.'),
  kubeconfig: stringFlag('', 'Path of a kubeconfig; empty for $KUBECONFIG, the service account, ~/.kube/config, in this order.'),
  'expectation-timeout': durationFlag(seconds(300), 'Accepted, without effect: own writes are visible immediately.'),
  ...logFlags,
} as const satisfies FlagDefinitions;

export type DaemonFlags = FlagValues<typeof daemonFlags>;
