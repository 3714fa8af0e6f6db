export { binaryPath, cacheFolder } from './cache.ts';
export { kubernetesVersion, testedKubernetes, type BinaryName } from './catalogue.ts';
export { ensureBinaries } from './ensure-binaries.ts';
