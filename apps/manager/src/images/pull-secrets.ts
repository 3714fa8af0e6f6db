/** Secrets that pulls can use. */
import type { Informer } from '@kruise/kube';
import { secrets, type Secret } from '@kruise/objects';
import type { Caches } from '../caches/caches.ts';

/** Their types. No Secret of another type is ever copied for a node: a user who may create a job need not be one who may read Secrets. */
export const pullSecretTypes = ['kubernetes.io/dockerconfigjson', 'kubernetes.io/dockercfg'] as const;

export const typeOfSecret = ({ type }: Secret): string => type ?? 'Opaque';

export const isPullSecret = (secret: Secret): boolean => pullSecretTypes.some((type) => type === typeOfSecret(secret));

/** Which of them there are, one store a type; what is in them is read when a job names them. */
export const knownPullSecrets = (caches: Caches): readonly Informer<Secret>[] =>
  pullSecretTypes.map((type) => caches.known(secrets, { ...caches.scope, fieldSelector: `type=${type}` }));
