/**
 * Whatever an installer does to the webhook configuration while no manager runs, the webhook asks about all that the installer wants to be asked
 * about: installations, upgrades, rollbacks and other charts by Helm, and server-side apply, on a real API server.
 */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mutatingConfigurationName, validatingConfigurationName, WebhookController, type CertificateSource } from '@kruise/admission';
import { createClient, loadClusterConfig, SystemClock, type Client } from '@kruise/kube';
import { silentLogger } from '@kruise/kube/testing';
import { memberAt, mutatingWebhookConfigurations, validatingWebhookConfigurations, type KubeObject } from '@kruise/objects';
import { ensureBinaries, eventually, silent, skipUnless, startControlPlane, type ControlPlane } from '@kruise/testing';
import { parseAllDocuments } from 'yaml';
import { wiredByOriginal, writeOriginalWebhooks } from './original-manager.ts';
import { chartFolder, helm, isServerSide, plainHelm, valueFlags, type Values } from './render.ts';

interface Webhook {
  readonly name: string;
  readonly timeoutSeconds?: number;
  readonly clientConfig: { readonly caBundle?: string; readonly service?: { readonly path?: string } };
  readonly matchConditions?: readonly unknown[];
}
interface Configuration extends KubeObject {
  readonly webhooks?: readonly Webhook[];
}

const webhooksIn = ({ webhooks = [] }: Configuration): readonly Webhook[] => webhooks;

const pathsIn = (configuration: Configuration): ReadonlySet<string> =>
  new Set(webhooksIn(configuration).map((one) => one.clientConfig.service?.path ?? ''));

/** Under which the API server notes what a manager writes. */
const fieldManager = 'kruise-manager';
const key = { namespace: '', name: mutatingConfigurationName };
const validatingKey = { namespace: '', name: validatingConfigurationName };
const pod = 'mpod.kb.io';
const path = `/apis/admissionregistration.k8s.io/v1/mutatingwebhookconfigurations/${mutatingConfigurationName}`;
const caCert = '-----BEGIN CERTIFICATE-----\nTUE=\n-----END CERTIFICATE-----\n';
const caBundle = Buffer.from(caCert).toString('base64');

describe('the Pod webhook, narrowed by a manager that no longer runs', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kruise-rollback-'));
  const [ours, original] = [join(dir, 'ours'), join(dir, 'original')];
  let plane: ControlPlane;
  let client: Client;

  const run = (command: string, ...args: readonly string[]): Promise<string> => helm([command, 'kruise', ...args], plane.kubeconfigPath);
  const upgrade = (values: Values = {}): Promise<string> => run('upgrade', ours, ...valueFlags(values));
  const configuration = (): Promise<Configuration> => client.get<Configuration>(mutatingWebhookConfigurations, key);
  const webhook = async (name: string): Promise<Webhook | undefined> => webhooksIn(await configuration()).find((one) => one.name === name);
  const rendered = async (name = mutatingConfigurationName): Promise<Configuration> => {
    const text = await helm(['template', 'kruise', ours]);
    const all = parseAllDocuments(text).map((document) => document.toJS() as Configuration | null);
    return all.find((one) => one?.metadata.name === name) as Configuration;
  };

  /**
   * Runs a manager of ours, with handlers for these paths, until `isDone`; the Pod webhook has the label's needs.
   *
   * @param released whose fields it releases: those of another name are kept, as by managers of older versions
   */
  async function manage(app: string, paths: ReadonlySet<string>, isDone: () => Promise<boolean>, released = fieldManager): Promise<void> {
    const stop = new AbortController();
    const source: CertificateSource = { ensure: () => Promise.resolve({ caCert, key: 'k', cert: 'c' }) };
    const controller = new WebhookController({
      client,
      source,
      external: false,
      fieldManager: released,
      target: { kind: 'Service', namespace: 'kruise-system', name: 'kruise-webhook-service' },
      paths,
      crdNames: [],
      isConvertible: () => false,
      narrows: true,
      install: () => Promise.resolve(),
      clock: new SystemClock(),
      logger: silentLogger(),
    });
    controller.narrowTo({ [pod]: { needs: [{ reason: 'sidecarset', objectSelector: { matchLabels: { app } } }] } });
    const running = controller.run(stop.signal);
    await eventually(() => {
      // As the watch of a whole manager does.
      controller.triggerConfigurations();
      return isDone();
    });
    stop.abort();
    await running;
  }

  /** A manager of ours runs until the webhook is narrowed for this label, and dies. */
  async function narrowFor(app: string): Promise<void> {
    await manage(app, pathsIn(await rendered()), async () => {
      const webhooks = webhooksIn(await configuration());
      const parts = webhooks.filter(({ name }) => name.endsWith(pod)).map(({ name }) => name);
      const isFor = JSON.stringify(webhooks).includes(`\\"${app}\\"`);
      return isFor && parts.length === 2 && !parts.includes(pod);
    });
  }

  /** As the original does: the template, or what is there, with the CA. */
  async function runOriginalManager(): Promise<void> {
    const update = wiredByOriginal(await configuration(), caBundle);
    if (update !== undefined) await client.update(mutatingWebhookConfigurations, update);
  }

  beforeAll(async () => {
    await ensureBinaries(['helm'], silent);
    for (const chart of [ours, original]) {
      mkdirSync(join(chart, 'templates'), { recursive: true });
      writeFileSync(join(chart, 'Chart.yaml'), 'apiVersion: v1\nname: kruise\nversion: 1.9.0\n');
    }
    cpSync(join(chartFolder, 'values.yaml'), join(ours, 'values.yaml'));
    for (const file of ['_helpers.tpl', 'generated/gates', 'generated/webhooks', 'webhook-configurations.yaml'])
      cpSync(join(chartFolder, 'templates', file), join(ours, 'templates', file), { recursive: true });
    writeFileSync(join(original, 'templates/webhooks.yaml'), await helm(['template', 'kruise', ours]));
    plane = await startControlPlane();
    client = createClient(loadClusterConfig({ path: plane.kubeconfigPath }), { userAgent: fieldManager, keepManagedFields: true });
  });
  afterAll(async () => {
    client.close();
    await plane.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  const changed = { 'webhookConfiguration.timeoutSeconds': 7 };
  const orders: readonly { name: string; steps: readonly (() => Promise<unknown>)[] }[] = [
    { name: 'the same is installed again', steps: [() => narrowFor('a'), () => upgrade()] },
    { name: 'another list is installed', steps: [() => narrowFor('a'), () => upgrade(changed)] },
    {
      name: 'an upgrade is rolled back',
      steps: [() => narrowFor('a'), () => upgrade(changed), () => narrowFor('b'), () => run('rollback', '1')],
    },
    {
      name: 'an upgrade of a narrowed release is rolled back to another',
      steps: [
        () => narrowFor('a'),
        () => upgrade(),
        () => narrowFor('b'),
        () => upgrade(),
        () => narrowFor('c'),
        () => run('rollback', '2'),
      ],
    },
    {
      name: 'the original is installed instead',
      steps: [() => narrowFor('a'), () => upgrade(), () => narrowFor('b'), () => run('upgrade', original), runOriginalManager],
    },
    {
      name: 'the original is come back from, and to',
      steps: [
        () => run('upgrade', original),
        runOriginalManager,
        () => upgrade(),
        () => narrowFor('a'),
        () => run('rollback', '2'),
        runOriginalManager,
        () => narrowFor('b'),
        () => run('rollback', '3'),
        () => upgrade(),
      ],
    },
    { name: 'the original takes over where nothing is installed', steps: [() => narrowFor('a'), runOriginalManager] },
    {
      name: 'it is applied by the server',
      steps: [
        () => narrowFor('a'),
        async () =>
          plane.api.request(`${path}?fieldManager=installer&force=true`, {
            method: 'PATCH',
            contentType: 'application/apply-patch+yaml',
            body: await rendered(),
          }),
      ],
    },
  ];

  it.each(orders)('asks about all Pods again once $name, and is narrowed by the next manager', async ({ steps }) => {
    await run('install', ours);
    const installed = await webhook(pod);
    for (const step of steps) await step();
    const { clientConfig: _a, timeoutSeconds: _b, ...rule } = installed ?? {};
    expect(await webhook(pod)).toMatchObject(rule);
    expect(await webhook(pod)).not.toHaveProperty('matchConditions');

    await narrowFor('z');
    const { metadata, webhooks = [] } = await configuration();
    const template = JSON.parse(metadata.annotations?.['template'] ?? '') as readonly Webhook[];
    expect(template.filter(({ name }) => name.endsWith(pod)).map(({ name }) => name)).toEqual([pod]);
    expect(metadata.annotations?.['template']).not.toContain('needed.kruise.io');
    expect(webhooks.length).toBe(template.length + 1);
    await run('uninstall');
  });

  it('is called with the CA in force after an upgrade, whether the list is the same or not', async () => {
    await run('install', ours);
    await narrowFor('a');
    for (const values of [{}, changed]) {
      await upgrade(values);
      expect(new Set(webhooksIn(await configuration()).map(({ clientConfig }) => clientConfig.caBundle))).toEqual(new Set([caBundle]));
    }
    await run('uninstall');
  });

  it('is called, as the kinds are, at the paths of OpenKruise after an upgrade, and at those of this chart otherwise', async () => {
    const pathsOf = async (): Promise<Readonly<Record<string, string>>> => {
      const entries = [await configuration(), await client.get<Configuration>(validatingWebhookConfigurations, validatingKey)];
      return Object.fromEntries(entries.flatMap(webhooksIn).map(({ name, clientConfig }) => [name, clientConfig.service?.path ?? '']));
    };
    const versioned = {
      'mcloneset.kb.io': '/mutate-apps-kruise-io-v1alpha1-cloneset',
      'vclonesetdeletion.kb.io': '/validate-apps-kruise-io-v1alpha1-cloneset',
    };
    const plain = { 'mcloneset.kb.io': '/mutate-apps-kruise-io-cloneset', 'vclonesetdeletion.kb.io': '/validate-apps-kruise-io-cloneset' };
    await run('install', writeOriginalWebhooks(join(dir, 'recorded'), 443));
    await runOriginalManager();
    await upgrade();
    expect(await pathsOf()).toMatchObject(versioned);
    const paths = new Set(Object.values(await pathsOf()));
    await manage('a', paths, async () => (await webhook(pod)) === undefined);
    await upgrade(changed);
    expect(await pathsOf()).toMatchObject(versioned);
    await run('uninstall');
    await run('install', ours);
    expect(await pathsOf()).toMatchObject(plain);
    await run('uninstall');
  });

  describe('with a manager that omits entries, restores and narrows them', () => {
    const ingress = 'vingress.kb.io';
    const validating = (): Promise<Configuration> => client.get<Configuration>(validatingWebhookConfigurations, validatingKey);
    const namesIn = (of: Configuration): readonly string[] => webhooksIn(of).map(({ name }) => name);
    const owners = async (): Promise<readonly unknown[]> =>
      [await configuration(), await validating()].flatMap((one) => {
        const entries = memberAt(one, 'metadata', 'managedFields') as readonly { readonly manager: string }[];
        return entries.map(({ manager }) => manager);
      });
    /** Whether a manager has taken over what the installer has written: the templates, and the Pod webhook, which it narrows. */
    const isWritten = async (): Promise<boolean> => {
      const templates = [await configuration(), await validating()].map(({ metadata }) => metadata.annotations?.['template']);
      return !templates.includes('') && (await webhook(pod)) === undefined;
    };
    let paths: ReadonlySet<string>;

    beforeAll(async () => {
      paths = new Set([...pathsIn(await rendered()), ...pathsIn(await rendered(validatingConfigurationName))]);
      await run('install', ours);
      const without = new Set([...paths].filter((one) => one !== '/validate-ingress'));
      await manage('a', without, async () => !namesIn(await validating()).includes(ingress), 'another');
      await manage('a', paths, async () => namesIn(await validating()).includes(ingress), 'another');
    });
    afterAll(() => run('uninstall'));

    skipUnless(
      isServerSide,
      'Helm 3 applies on the client',
      it,
    )('Helm 4 refuses to write fields that the manager owns', async () => {
      for (const values of [{}, changed]) {
        const upgrade = plainHelm(['upgrade', 'kruise', ours, ...valueFlags(values)], plane.kubeconfigPath);
        await expect(upgrade).rejects.toThrow(/conflict with "kruise-manager".*vingress\.kb\.io/s);
      }
    });

    it('fields have no owner but the installer after two seconds', async () => {
      await manage('b', paths, async () => !(await owners()).includes(fieldManager));
      expect(await owners()).toContain('helm');
      expect(await webhook(`again.${pod}`)).toBeDefined();
    });

    it.each<{ name: string; values: Values }>([
      { name: 'the same values', values: {} },
      { name: 'other gates', values: { featureGates: 'PodWebhook=false' } },
      { name: 'all gates again, and another timeout', values: changed },
    ])('Helm upgrades to $name without a conflict', async ({ values }) => {
      await plainHelm(['upgrade', 'kruise', ours, ...valueFlags(values)], plane.kubeconfigPath);
      await manage('c', paths, async () => (await isWritten()) && !(await owners()).includes(fieldManager));
      const timeoutSeconds = values === changed ? 7 : 30;
      expect(webhooksIn(await validating()).find(({ name }) => name === ingress)).toMatchObject({ timeoutSeconds });
    });
  });
});
