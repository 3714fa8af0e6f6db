export { binaryPath, cacheFolder } from './cache.ts';
export { kubernetesUnderTest, kubernetesVersion, testedKubernetes, type BinaryName, type Release } from './catalogue.ts';
export { ensureBinaries } from './ensure-binaries.ts';
export { archiveUrl, downloadArchive } from './release.ts';
