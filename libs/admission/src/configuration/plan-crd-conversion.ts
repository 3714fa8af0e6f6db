/**
 * Points the conversion webhook of our CRDs at this manager. It never switches a CRD between `None` and `Webhook`: the installer decides that.
 * @see spec/manager.md 4.8
 */
import { deepEqual, type KubeObject } from '@kruise/objects';
import { urlOf, type ClientConfig, type WebhookTarget } from '../webhook-target.ts';

export interface CustomResourceDefinition extends KubeObject {
  readonly spec: {
    readonly group: string;
    readonly names: { readonly kind: string; readonly plural: string };
    readonly conversion?: {
      readonly strategy: string;
      readonly webhook?: { readonly clientConfig?: ClientConfig; readonly conversionReviewVersions?: readonly string[] };
    };
    readonly [member: string]: unknown;
  };
}

/** Returns whether `/convert` supports this kind. */
export type IsConvertible = (group: string, kind: string) => boolean;

const reviewVersions = ['v1', 'v1beta1'];

/** Returns the conversion of a CRD, undefined when it is not one of ours, or not converted by a webhook. */
function conversionOf({ spec }: CustomResourceDefinition, isConvertible: IsConvertible): CustomResourceDefinition['spec']['conversion'] {
  return spec.conversion?.strategy === 'Webhook' && isConvertible(spec.group, spec.names.kind) ? spec.conversion : undefined;
}

/** Base64 of PEM: what to write, and what is kept where it is found. */
export interface CaBundles {
  readonly caBundle: string;
  readonly toleratedBundle?: string;
}

function clientConfigOf(held: string | undefined, target: WebhookTarget, bundles: CaBundles): ClientConfig {
  const caBundle = held !== undefined && held === bundles.toleratedBundle ? held : bundles.caBundle;
  return target.kind === 'Url'
    ? { caBundle, url: urlOf(target, '/convert') }
    : { caBundle, service: { namespace: target.namespace, name: target.name, port: 443, path: '/convert' } };
}

/** Returns the CRD to write, or undefined when it needs nothing (or is not one of ours). */
export function planCrdConversion(
  crd: CustomResourceDefinition,
  target: WebhookTarget,
  bundles: CaBundles,
  isConvertible: IsConvertible,
): CustomResourceDefinition | undefined {
  const present = conversionOf(crd, isConvertible);
  if (present === undefined) return undefined;
  const clientConfig = clientConfigOf(present.webhook?.clientConfig?.caBundle, target, bundles);
  const webhook = { clientConfig, conversionReviewVersions: reviewVersions };
  if (deepEqual(present.webhook, webhook)) return undefined;
  return { ...crd, spec: { ...crd.spec, conversion: { strategy: 'Webhook', webhook } } };
}

/** Returns the fault of this CRD with certificates from outside, in words, or undefined. */
export function checkCrdConversion(crd: CustomResourceDefinition, caBundle: string, isConvertible: IsConvertible): string | undefined {
  const conversion = conversionOf(crd, isConvertible);
  if (conversion === undefined || conversion.webhook?.clientConfig?.caBundle === caBundle) return undefined;
  return `caBundle of CRD ${crd.metadata.name} does not match the external caBundle`;
}
