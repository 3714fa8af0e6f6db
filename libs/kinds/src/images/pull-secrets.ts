/** Secrets that pulls can use. */
import { imageLimits, type Secret } from '@kruise/objects';

/** Their types. No Secret of another type is ever copied for a node: a user who may create a job need not be one who may read Secrets. */
export const pullSecretTypes = ['kubernetes.io/dockerconfigjson', 'kubernetes.io/dockercfg'] as const;

export const typeOfSecret = ({ type }: Secret): string => type ?? 'Opaque';

export const isPullSecret = (secret: Secret): boolean => pullSecretTypes.some((type) => type === typeOfSecret(secret));

/** Why a Secret is not given to nodes. */
export type Unfit = { readonly kind: 'OtherType'; readonly type: string } | { readonly kind: 'TooLarge'; readonly bytes: number };

/** Bytes behind a text in base64. */
const decodedBytes = (text: string): number => Math.floor((text.replace(/=+$/, '').length * 3) / 4);

/** @returns undefined for a Secret that nodes may pull with */
export function whyUnfit(secret: Secret): Unfit | undefined {
  if (!isPullSecret(secret)) return { kind: 'OtherType', type: typeOfSecret(secret) };
  const bytes = Object.values(secret.data ?? {}).reduce((sum, text) => sum + decodedBytes(text), 0);
  return bytes <= imageLimits.pullSecretBytes.value ? undefined : { kind: 'TooLarge', bytes };
}
