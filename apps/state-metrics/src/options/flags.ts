/** The flags of kruise-state-metrics. @see spec/kruise-state-metrics.md 3 */
import { boolFlag, intFlag, logFlags, stringFlag, type FlagDefinitions, type FlagValues } from '@kruise/process';

const portMustBe = 'a port of 0 to 65535';
const isPort = (port: number): boolean => port >= 0 && port <= 65_535;
export const portFault = (name: string, port: number): readonly string[] =>
  isPort(port) ? [] : [`--${name} must be ${portMustBe}, not ${port}`];

export const stateMetricsFlags = {
  ...logFlags,
  port: intFlag(8080, 'Port of the metrics of objects.'),
  host: stringFlag('::', 'Address of the metrics of objects.'),
  'telemetry-port': intFlag(8081, 'Port of the metrics of this process.'),
  'telemetry-host': stringFlag('::', 'Address of the metrics of this process.'),
  'tls-config': stringFlag('', 'File with TLS and basic authentication of both servers, in the format of exporter-toolkit.'),
  kubeconfig: stringFlag('', 'Kubeconfig file; absent in a cluster.'),
  apiserver: stringFlag('', 'URL of the API server, instead of the URL in the kubeconfig.'),
  resources: stringFlag('', 'Comma-separated kinds to export, by their plural names; the seven kinds of the original when absent.'),
  namespaces: stringFlag('', 'Comma-separated namespaces whose objects are exported; all when absent.'),
  'metric-allowlist': stringFlag(
    '',
    'Comma-separated names or regular expressions of the metrics to export. Not together with --metric-denylist.',
  ),
  'metric-denylist': stringFlag(
    '',
    'Comma-separated names or regular expressions of metrics not to export. Not together with --metric-allowlist.',
  ),
  'metric-labels-allowlist': stringFlag('', 'Labels of objects to export: clonesets=[app,team],statefulsets=[*].'),
  'metric-annotations-allowlist': stringFlag('', 'Annotations of objects to export: clonesets=[owner],statefulsets=[*].'),
  shard: intFlag(0, 'Which shard this process exports, from 0 on.'),
  'total-shards': intFlag(1, 'Number of shards.'),
  pod: stringFlag('', 'Name of the Pod of this process; with --pod-namespace the shard follows from its StatefulSet.'),
  'pod-namespace': stringFlag('', 'Namespace of the Pod of this process.'),
  'use-apiserver-cache': boolFlag(false, 'List from the cache of the API server; such a list may be older than the latest change.'),
  'enable-gzip-encoding': boolFlag(false, 'Compress metrics for clients that accept it.'),
  version: boolFlag(false, 'Print the version and exit.'),
} as const satisfies FlagDefinitions;

export type StateMetricsFlags = FlagValues<typeof stateMetricsFlags>;
