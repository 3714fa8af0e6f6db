export { binaryPath, cacheFolder } from './cache.ts';
export { kubernetesUnderTest, kubernetesVersion, testedKubernetes, type BinaryName } from './catalogue.ts';
export { ensureBinaries } from './ensure-binaries.ts';
