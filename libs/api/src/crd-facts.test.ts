/**
 * Compares the generated CRDs with recorded ones: names, versions, printer columns, subresources and every schema keyword, path by path. Descriptions
 * are ours and not compared.
 */
import { describe, expect, it } from '@jest/globals';
import { recordedCrds } from '@kruise/testing';
import { allKinds } from './kinds/index.ts';
import type { JsonSchema } from './schema/builder.ts';
import { crdName, customResourceDefinition } from './schema/crd.ts';
import type { KindDeclaration, PrinterColumn } from './schema/kind.ts';

const crds = recordedCrds();

/** Every intended difference, as `<plural> <path>`, where `*` matches the rest of the path; with the reason. */
const intended: readonly { readonly path: string; readonly why: string }[] = [
  ...['advancedcronjobs', 'broadcastjobs', 'imagelistpulljobs', 'imagepulljobs', 'nodeimages', 'podunavailablebudgets'].map((plural) => ({
    path: `${plural} conversion.*`,
    why: 'spec/manager.md 4.8: every two-version kind gets Webhook conversion, so that a write through v1alpha1 prunes nothing',
  })),
  ...[
    'v1alpha1.spec.template.broadcastJobTemplate',
    'v1beta1.spec.template.broadcastJobTemplate',
    'v1beta1.spec.template.imageListPullJobTemplate',
  ].map((template) => ({
    path: `advancedcronjobs ${template}.metadata x-kubernetes-preserve-unknown-fields`,
    why: 'spec/advancedcronjob.md 1: without it labels and annotations of the jobs are pruned',
  })),
  ...[
    'scaleStrategy.disablePVCReuse',
    'updateStrategy.inPlaceUpdateStrategy',
    'updateStrategy.maxSurge',
    'updateStrategy.maxUnavailable',
    'updateStrategy.partition',
    'updateStrategy.paused',
    'updateStrategy.priorityStrategy',
    'updateStrategy.scatterStrategy',
  ].map((member) => ({
    path: `uniteddeployments v1alpha1.spec.template.cloneSetTemplate.spec.${member}*`,
    why: 'spec/uniteddeployment.md 1: CloneSet templates written for older versions are still understood',
  })),
  ...['v1alpha1', 'v1beta1'].map((version) => ({
    path: `podunavailablebudgets ${version}.status.conditions*`,
    why: 'spec/podunavailablebudget.md 2.2: a budget that cannot do what it is for says so',
  })),
  {
    path: 'imagepulljobs v1beta1 column 5',
    why: 'spec/image-pulling.md 1: the message is shown for both versions',
  },
  {
    path: 'nodeimages v1alpha1.spec.images{}.pullSecrets[].mode*',
    why: 'spec/image-pulling.md 1: a write through v1alpha1 keeps the mode of a secret',
  },
];

const isIntended = (difference: string): boolean =>
  intended.some(({ path }) => (path.endsWith('*') ? difference.startsWith(path.slice(0, -1)) : difference === path));

type Facts = ReadonlyMap<string, string>;

/** Returns `path keyword -> value` for a schema and all below it. */
function schemaFacts(schema: JsonSchema, path: string, facts: Map<string, string>): void {
  const { properties, items, additionalProperties, description: _ours, required, ...keywords } = schema;
  facts.set(`${path} exists`, 'true');
  if (required !== undefined) facts.set(`${path} required`, [...required].sort().join(','));
  for (const [keyword, value] of Object.entries(keywords)) {
    facts.set(`${path} ${keyword}`, JSON.stringify(keyword === 'enum' ? [...(value as readonly string[])].sort() : value));
  }
  for (const [name, property] of Object.entries(properties ?? {})) schemaFacts(property, `${path}.${name}`, facts);
  if (items !== undefined) schemaFacts(items, `${path}[]`, facts);
  if (additionalProperties !== undefined) schemaFacts(additionalProperties, `${path}{}`, facts);
}

interface Version {
  readonly name: string;
  readonly served: boolean;
  readonly storage: boolean;
  readonly additionalPrinterColumns?: readonly PrinterColumn[];
  readonly subresources?: unknown;
  readonly schema: { readonly openAPIV3Schema: JsonSchema };
}

function versionFacts(version: Version, facts: Map<string, string>): void {
  const { name } = version;
  facts.set(`${name} served`, String(version.served));
  facts.set(`${name} storage`, String(version.storage));
  facts.set(`${name} subresources`, sortedJson(version.subresources));
  (version.additionalPrinterColumns ?? []).forEach(({ description: _ours, ...column }, at) =>
    facts.set(`${name} column ${at}`, sortedJson(column)),
  );
  schemaFacts(version.schema.openAPIV3Schema, name, facts);
}

const sortedJson = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member) ? Object.fromEntries(Object.entries(member).sort()) : member,
  );

interface FactFile {
  readonly name: string;
  readonly group: string;
  readonly scope: string;
  readonly names: Readonly<Record<string, unknown>>;
  readonly conversion: Readonly<Record<string, unknown>>;
  readonly versions: readonly Version[];
}

function recorded(declaration: KindDeclaration): Facts {
  const file = crds.get(crdName(declaration)) as FactFile;
  const facts = new Map([
    ['name', file.name],
    ['group', file.group],
    ['scope', file.scope],
    ['names', sortedJson(file.names)],
  ]);
  for (const [name, value] of Object.entries(file.conversion)) facts.set(`conversion.${name}`, sortedJson(value));
  for (const version of file.versions) versionFacts(version, facts);
  return facts;
}

function generated(declaration: KindDeclaration): Facts {
  const { metadata, spec } = customResourceDefinition(declaration);
  const facts = new Map([
    ['name', metadata.name],
    ['group', spec.group],
    ['scope', spec.scope],
    ['names', sortedJson(spec.names)],
    ['conversion.strategy', sortedJson(spec.conversion.strategy)],
  ]);
  if (spec.conversion.strategy === 'Webhook') {
    const { service } = spec.conversion.webhook.clientConfig;
    facts.set('conversion.conversionReviewVersions', sortedJson(spec.conversion.webhook.conversionReviewVersions));
    facts.set('conversion.path', sortedJson(service.path));
    facts.set('conversion.serviceName', sortedJson(service.name));
    facts.set('conversion.serviceNamespace', sortedJson(service.namespace));
    facts.set('conversion.servicePort', sortedJson(service.port));
  }
  for (const version of spec.versions) versionFacts(version, facts);
  return facts;
}

/** Returns `<plural> <fact>: <recorded> -> <generated>` for all that differs. */
function differences(declaration: KindDeclaration): readonly { readonly path: string; readonly text: string }[] {
  const before = recorded(declaration);
  const after = generated(declaration);
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((fact) => before.get(fact) !== after.get(fact))
    .map((fact) => ({
      path: `${declaration.plural} ${fact}`,
      text: `${declaration.plural} ${fact}: ${before.get(fact)} -> ${after.get(fact)}`,
    }));
}

describe('the generated CRDs, against the recorded ones', () => {
  it.each(allKinds.map((declaration) => ({ name: declaration.kind, declaration })))(
    '$name differs only where it is meant to',
    ({ declaration }) => {
      const unexpected = differences(declaration).filter(({ path }) => !isIntended(path));
      expect(unexpected.map(({ text }) => text)).toEqual([]);
    },
  );

  it('every recorded CRD is generated', () => {
    expect(allKinds.map(crdName).sort()).toEqual([...crds.keys()].sort());
  });

  it('every intended difference of a kind that is there is still one', () => {
    const plurals = new Set(allKinds.map(({ plural }) => plural));
    const found = allKinds.flatMap((declaration) => differences(declaration).map(({ path }) => path));
    const stale = intended.filter(({ path }) => {
      const wanted = path.endsWith('*') ? path.slice(0, -1) : path;
      return (
        plurals.has(path.slice(0, path.indexOf(' '))) &&
        !found.some((difference) => (path.endsWith('*') ? difference.startsWith(wanted) : difference === wanted))
      );
    });
    expect(stale).toEqual([]);
  });
});
