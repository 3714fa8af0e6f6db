import type { Informer } from '@kruise/kube';
import { secrets, type Secret } from '@kruise/objects';
import type { Caches } from '../caches/caches.ts';
import { pullSecretTypes } from '@kruise/kinds/images';

/** Which of them there are, one store a type; what is in them is read when a job names them. */
export const knownPullSecrets = (caches: Caches): readonly Informer<Secret>[] =>
  pullSecretTypes.map((type) => caches.known(secrets, { ...caches.scope, fieldSelector: `type=${type}` }));
