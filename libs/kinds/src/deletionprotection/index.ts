export { resourceOfCrd } from './crd.ts';
