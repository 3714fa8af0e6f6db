/** `kubectl-kruise lint` says of new objects what a real API server says with the webhooks of the manager: every kind and version, in a dry run. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { allKinds, parseGates, resourceTypeOf, type Gates } from '@kruise/api';
import { lintObjects, lintRules, type Finding, type LintedObject } from '@kruise/insight/lint';
import { ApiError, type Client } from '@kruise/kube';
import type { KubeObject, ResourceType } from '@kruise/objects';
import { Occurrences, type ControlPlane } from '@kruise/testing';
import fc from 'fast-check';
import { newObjects } from '../webhooks/properties/new-objects.testing.ts';
import { openNamespace } from './fixtures/workload-fixture.testing.ts';
import { startInstalledPlane } from './processes/installed-plane.testing.ts';
import { ManagerProcess } from './processes/manager-process.testing.ts';

const objectsOfVersion = 16;
const switches = 'ImagePullJobGate=true,ResourceDistributionGate=true';

function gatesOf(text: string): Gates {
  const parsed = parseGates(text);
  if (parsed.kind !== 'Parsed') throw new Error(parsed.message);
  return parsed.gates;
}

/** What only the cluster knows: there is no Pod to recreate containers of, and a distributed Secret cannot be created. */
const needsCluster = /no found Pod named|spec\.resource is invalid: POST/;

const isError = ({ id }: Finding): boolean => lintRules[id].severity === 'error';

describe('lint and a real API server', () => {
  const dir = mkdtempSync(join(tmpdir(), 'kruise-lint-'));
  const gates = gatesOf(switches);
  const seen = new Occurrences();
  let plane: ControlPlane;
  let manager: ManagerProcess;
  let client: Client;

  beforeAll(async () => {
    plane = await startInstalledPlane();
    manager = await ManagerProcess.create({ kubeconfigPath: plane.kubeconfigPath, dir, flags: [`--feature-gates=${switches}`] });
    await manager.start();
    client = await openNamespace(plane.kubeconfigPath, 'ns');
  });
  afterAll(async () => {
    client.close();
    await manager.signal('SIGKILL');
    await plane.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  /** @returns why the server refuses the object; undefined when it would store it */
  async function refusalOf(type: ResourceType, object: LintedObject): Promise<string | undefined> {
    try {
      await client.create(type, object as unknown as KubeObject, { dryRun: true });
      return undefined;
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return error.message;
    }
  }

  const versions = allKinds.flatMap((kind) => kind.versions.map((version) => ({ name: `${kind.kind} ${version.name}`, kind, version })));

  it.each(versions)('say the same of new objects of $name', async ({ kind, version }) => {
    const different: unknown[] = [];
    for (const object of fc.sample(newObjects(kind, version), { numRuns: objectsOfVersion, seed: 7 })) {
      const said = await refusalOf(resourceTypeOf(kind, version.name), object);
      if (said !== undefined && needsCluster.test(said)) continue;
      const errors = (lintObjects([object], { gates })[0] ?? []).filter(isError);
      seen.note(said === undefined ? 'admitted' : 'refused');
      if (errors.length > 0 !== (said !== undefined)) different.push({ spec: object['spec'], said, errors });
    }
    expect(different).toEqual([]);
  });

  it('have admitted and refused objects', () => {
    expect(versions.length).toBeGreaterThan(30);
    seen.expectAtLeast({ admitted: 100, refused: 100 });
  });
});
