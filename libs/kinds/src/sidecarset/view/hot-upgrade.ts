/**
 * Sidecars that two containers of a Pod take turns for: their names, who works, and the versions by which they find out who is newer.
 *
 * @see spec/sidecarset.md 5.8
 */
import { sidecarSetAnnotations, type SidecarContainer } from '@kruise/api';
import { formatWorkingContainers, workingContainersOf } from './pod-record.ts';

type Annotations = Readonly<Record<string, string>>;

/** The containers of a Pod that one hot-upgrade sidecar is injected as. */
export interface Twins {
  /** Works in a new Pod; listed directly before the other. */
  readonly first: string;
  /** Idles in a new Pod, with the empty image. */
  readonly second: string;
}

export const twinsOf = (sidecar: string): Twins => ({ first: `${sidecar}-1`, second: `${sidecar}-2` });

export const isHotUpgrade = (sidecar: SidecarContainer): boolean => sidecar.upgradeStrategy?.upgradeType === 'HotUpgrade';

/** Names of the containers that a sidecar has in a Pod: its own, or those of its twins. */
export const containerNamesOf = (sidecar: SidecarContainer): readonly string[] => {
  const { first, second } = twinsOf(sidecar.name);
  return isHotUpgrade(sidecar) ? [first, second] : [sidecar.name];
};

/** Fed to the twin as SIDECARSET_VERSION. */
export const versionKey = (container: string): string => `${sidecarSetAnnotations.versionPrefix}${container}`;
/** Fed to the twin as SIDECARSET_VERSION_ALT: the version of the other. */
export const versionAltKey = (container: string): string => `${sidecarSetAnnotations.versionAltPrefix}${container}`;

/** Who of the twins works and who idles. */
export interface Roles {
  readonly working: string;
  readonly idle: string;
}

/** By the Pod's working map; without a usable entry `-2` works. */
export function rolesOf(held: Annotations | undefined, sidecar: string): Roles {
  const { first, second } = twinsOf(sidecar);
  return workingContainersOf(held).get(sidecar) === first ? { working: first, idle: second } : { working: second, idle: first };
}

/** Versions of two twins: the one that works, and the one that idles with the empty image or still serves beside it. */
const versionsOf = (roles: Roles, versions: { readonly [K in 'working' | 'workingAlt' | 'idle' | 'idleAlt']: string }): Annotations => ({
  [versionKey(roles.working)]: versions.working,
  [versionAltKey(roles.working)]: versions.workingAlt,
  [versionKey(roles.idle)]: versions.idle,
  [versionAltKey(roles.idle)]: versions.idleAlt,
});

/**
 * The annotations of a Pod that is injected with hot-upgrade sidecars: the working map, which all SidecarSets share, and the versions of
 * each twin.
 *
 * @param held annotations of the Pod so far
 * @param sidecars names as in the SidecarSets; none gives no annotations
 * @returns those to set
 */
export function injectedHotAnnotations(held: Annotations | undefined, sidecars: readonly string[]): Annotations {
  if (sidecars.length === 0) return {};
  const working = new Map([...workingContainersOf(held), ...sidecars.map((name) => [name, twinsOf(name).first] as const)]);
  const versions = sidecars.map((name) => {
    const { first, second } = twinsOf(name);
    return versionsOf({ working: first, idle: second }, { working: '1', workingAlt: '0', idle: '0', idleAlt: '1' });
  });
  return Object.assign(
    { [sidecarSetAnnotations.workingHotUpgradeContainer]: formatWorkingContainers(working) },
    ...versions,
  ) as Annotations;
}

/** What is seen of the twins: the image each has in the Pod's spec, and whether it is ready and runs it. */
export interface TwinsSeen {
  readonly working: { readonly image: string; readonly isSound: boolean };
  readonly idle: { readonly image: string; readonly isSound: boolean };
}

/** Who works from now on, with the versions that say so; its image becomes that of the SidecarSet. */
export type Turn = { readonly kind: 'None' } | { readonly kind: 'Turn'; readonly working: string; readonly versions: Annotations };

/** The twin that an upgrade goes to: the empty one; else the one that is not sound; else the one that does not work. */
function targetRole(sidecar: SidecarContainer, roles: Roles, seen: TwinsSeen): keyof Roles {
  const empty = sidecar.upgradeStrategy?.hotUpgradeEmptyImage;
  const inOrder: readonly (keyof Roles)[] = roles.working === twinsOf(sidecar.name).first ? ['working', 'idle'] : ['idle', 'working'];
  const emptyRole = inOrder.find((role) => seen[role].image === empty);
  if (emptyRole !== undefined) return emptyRole;
  return seen.working.isSound === seen.idle.isSound || seen.working.isSound ? 'idle' : 'working';
}

const otherRole = (role: keyof Roles): keyof Roles => (role === 'working' ? 'idle' : 'working');

/**
 * The step of a hot upgrade that follows from a new image. When the twin beside the target has that image already, it is the one to work:
 * nothing changes if it does; after a rollback it takes over again, and the failing one is emptied later.
 *
 * @param given the Pod's annotations, and the number of the new version: the SidecarSet's resourceVersion
 * @see spec/sidecarset.md 5.8
 */
export function planTurn(
  sidecar: SidecarContainer,
  roles: Roles,
  seen: TwinsSeen,
  { held, version }: { readonly held: Annotations; readonly version: string },
): Turn {
  const target = targetRole(sidecar, roles, seen);
  const other = otherRole(target);
  const next = seen[other].image === sidecar.image ? other : target;
  if (next === other && other === 'working') return { kind: 'None' };
  const [working, idle] = [roles[next], roles[otherRole(next)]];
  return {
    kind: 'Turn',
    working,
    versions: {
      [versionKey(working)]: version,
      [versionAltKey(working)]: held[versionKey(idle)] ?? '0',
      [versionAltKey(idle)]: version,
    },
  };
}

/** The versions that end a hot upgrade: the idle twin has none, and the working one has no rival. */
export const resetVersions = (roles: Roles): Annotations => ({ [versionKey(roles.idle)]: '0', [versionAltKey(roles.working)]: '0' });
