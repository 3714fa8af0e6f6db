/** Names of the cluster for the completion of command lines. */
import { namespaces } from '@kruise/objects';
import type { CompletionRequest } from '../cli/completion-request.ts';
import { findType } from '../objects/served-types.ts';
import type { Session } from '../session.ts';

/** A shell waits for the answer. */
const callMs = 2_000;
const mostNames = 500;
const workloadGroups = ['apps', 'apps.kruise.io', 'policy.kruise.io', 'rollouts.kruise.io'];

async function typeNames(session: Session): Promise<readonly string[]> {
  const types = (await session.types()).filter(({ group, verbs }) => workloadGroups.includes(group) && verbs.includes('patch'));
  return [...new Set(types.map(({ plural, group }) => (group === 'apps' ? plural : `${plural}.${group}`)))];
}

/** @returns nothing when the cluster cannot be asked: a completion has no way to report that */
export async function completedNames(session: Session, request: CompletionRequest): Promise<readonly string[]> {
  const options = { signal: session.signal, timeoutMs: callMs, limit: mostNames, part: 'Metadata' } as const;
  try {
    switch (request.kind) {
      case 'Known':
        return [];
      case 'Types':
        return (await typeNames(session)).filter((name) => name.startsWith(request.typed));
      case 'Namespaces': {
        const { items } = await session.client().list(namespaces, options);
        return items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith(request.typed));
      }
      case 'Names': {
        const type = findType(await session.types(), request.type);
        if (type === undefined) return [];
        const { items } = await session.client().list(type, { ...options, ...(type.namespaced ? { namespace: session.namespace() } : {}) });
        const names = items.map(({ metadata }) => metadata.name).filter((name) => name.startsWith(request.typed));
        return names.map((name) => `${request.before}${name}`);
      }
    }
  } catch {
    return [];
  }
}
