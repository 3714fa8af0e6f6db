export {
  archiveUrl,
  binaryPath,
  cacheFolder,
  downloadArchive,
  ensureBinaries,
  kubernetesVersion,
  testedKubernetes,
} from './cluster/binaries/index.ts';
export type { Release } from './cluster/binaries/index.ts';
export { createAuthority, issueCertificate } from './cluster/credentials/certificates.ts';
export type { KeyPair } from './cluster/credentials/certificates.ts';
export { ControlPlane, startControlPlane } from './cluster/control-plane.ts';
export { ComponentSet } from './cluster/component-set.ts';
export { findFreePorts } from './cluster/host/free-port.ts';
export { NoRealNodes, whyNoRealNodes } from './cluster/host/host-commands.ts';
export { createProgress, silent } from './cluster/progress.ts';
export type { Progress } from './cluster/progress.ts';
export {
  clusterApi,
  clusterComponents,
  clusterFolder,
  isClusterRunning,
  nodeStates,
  readCluster,
  startCluster,
  stopCluster,
} from './cluster/cluster.ts';
export type { Cluster } from './cluster/cluster.ts';
export { ConnectionRelay } from './fault-proxy/connection-relay.ts';
export { FaultProxy, startFaultProxy } from './fault-proxy/fault-proxy.ts';
export type { Fault } from './fault-proxy/rules.ts';
export { blobOf, digestOf, manifestType, pushBlob, pushManifest } from './oci/registry.ts';
export { tar, withParents } from './oci/tar.ts';
export type { TarEntry } from './oci/tar.ts';
export { aPod, epoch } from './builders/pods.ts';
export type { PodShape } from './builders/pods.ts';
export { aRecreateRequest } from './builders/recreate-requests.ts';
export type { RecreateRequestShape } from './builders/recreate-requests.ts';
export { probeAttacks } from './attacks/probe-attacks.ts';
export { goldenText } from './golden/golden-text.ts';
export { Occurrences } from './properties/occurrences.ts';
export { programFile, sharedFolder } from './programs/program-file.ts';
export {
  cpuSecondsOf,
  machineTime,
  peakRssMiB,
  privateMiB,
  resetPeak,
  rssMiB,
  threadTimeOf,
  usageDuring,
} from './programs/process-usage.ts';
export { ProgramProcess } from './programs/program-process.ts';
export type { ProcessOverrides } from './programs/program-process.ts';
export { shippedFlags } from './programs/shipped-flags.ts';
export { casesOf, sampleOf, stepsOf } from './properties/search-size.ts';
export {
  allRecordedObjects,
  recordedCrds,
  recordedEncodings,
  recordedInstallation,
  recordedObjects,
  recordedPod,
  recordedRevision,
  recordedStages,
  specificationText,
  templateVerdicts,
} from './recorded/recorded.ts';
export type { RecordedStage, TemplateVerdict } from './recorded/recorded.ts';
export { beforeKubernetes, minorUnderTest, sinceKubernetes } from './since-kubernetes.ts';
export { skipUnless } from './skip-unless.ts';
export { comesToRest } from './waiting/comes-to-rest.ts';
export { eventually } from './waiting/eventually.ts';
export { isBusyWithFiles } from './waiting/file-work.ts';
export { staysTrue } from './waiting/stays-true.ts';
export { succeeds } from './waiting/succeeds.ts';
export { keepLog, logFolderOf, logRootVariable } from './test-logs/test-logs.ts';
export { parseMetrics } from './prometheus/metrics.ts';
export type { LabelMatch, MetricFamily, Metrics } from './prometheus/metrics.ts';
export { expositionFault, promtool } from './prometheus/promtool.ts';
export { argoHealth, runArgoScript, whyNoLua } from './argocd/argocd.ts';
export { kstatusOf } from './kstatus/kstatus.ts';
export { isConnectionAllowed } from './network-policy/network-policy.ts';
export type { Connection, NetworkEnd, NetworkPolicy } from './network-policy/network-policy.ts';
export type { ArgoHealth, ArgoObject } from './argocd/argocd.ts';
