/** The claims of one workload while its plans are carried out in memory. */
import { byName, type PersistentVolumeClaim } from '@kruise/objects';
import { withNamed, withoutNamed } from './named-list.ts';

/** What was done to a claim. */
export interface ClaimAct {
  readonly kind: 'Create' | 'Delete' | 'Resize';
  readonly before?: PersistentVolumeClaim;
  readonly after?: PersistentVolumeClaim;
}

const requestOf = ({ spec }: PersistentVolumeClaim): string => spec?.resources?.requests?.['storage'] ?? '';

/** A claim that is bound, and has the size that it requests. */
const bound = (claim: PersistentVolumeClaim): PersistentVolumeClaim =>
  claim.status?.phase === 'Bound' && claim.status.capacity?.['storage'] === requestOf(claim)
    ? claim
    : { ...claim, status: { ...claim.status, phase: 'Bound', capacity: { storage: requestOf(claim) } } };

/** Who may own claims, and how a new claim is named by the API server. */
export interface ClaimContext {
  /** uid of the workload: a claim that it owns is never an orphan. */
  readonly workloadUid: string;
  readonly nextUid: () => string;
}

/** Claims as the API server holds them. A claim that was written is bound when the cluster makes progress. */
export class SimulatedClaims {
  readonly acts: ClaimAct[] = [];
  readonly #context: ClaimContext;
  readonly #claims: Map<string, PersistentVolumeClaim>;
  #list: readonly PersistentVolumeClaim[];
  /** Names of claims that were created or changed since the cluster made progress. */
  readonly #new: Set<string>;
  /** Names of claims that may have lost their last owner. */
  readonly #suspects: Set<string>;
  /** Names of the claims that name a uid as an owner, or did so. */
  readonly #ownedBy = new Map<string, Set<string>>();

  constructor(claims: readonly PersistentVolumeClaim[], context: ClaimContext) {
    this.#context = context;
    this.#claims = new Map(claims.map((claim) => [claim.metadata.name, claim]));
    this.#list = [...this.#claims.values()].toSorted(byName);
    this.#new = new Set(this.#claims.keys());
    this.#suspects = new Set(this.#claims.keys());
    for (const claim of claims) this.#noteOwners(claim);
  }

  get byName(): ReadonlyMap<string, PersistentVolumeClaim> {
    return this.#claims;
  }

  /** By name; the same list until a claim changes. */
  get list(): readonly PersistentVolumeClaim[] {
    return this.#list;
  }

  create(claims: readonly PersistentVolumeClaim[]): void {
    for (const claim of claims) {
      if (this.#claims.has(claim.metadata.name)) continue;
      const after = { ...claim, metadata: { ...claim.metadata, uid: this.#context.nextUid() } };
      this.#note(after);
      this.acts.push({ kind: 'Create', after });
    }
  }

  change(claim: PersistentVolumeClaim, change: (held: PersistentVolumeClaim) => PersistentVolumeClaim): void {
    const before = this.#claims.get(claim.metadata.name);
    if (before === undefined) return;
    const after = change(before);
    this.#note(after);
    if (requestOf(before) !== requestOf(after)) this.acts.push({ kind: 'Resize', before, after });
  }

  delete(claims: readonly PersistentVolumeClaim[]): void {
    for (const { metadata } of claims) {
      const before = this.#claims.get(metadata.name);
      if (before === undefined) continue;
      this.#claims.delete(metadata.name);
      this.#list = withoutNamed(this.#list, metadata.name);
      this.acts.push({ kind: 'Delete', before });
    }
  }

  /** A Pod no longer exists: it may have been the last owner of a claim. */
  loseOwner(uid: string): void {
    for (const name of this.#ownedBy.get(uid) ?? []) this.#suspects.add(name);
    this.#ownedBy.delete(uid);
  }

  /**
   * Collects the claims that have lost their owners, binds new claims, and gives claims the size that they request.
   *
   * @param isLiving by uid of a Pod
   * @returns whether a claim was deleted, bound or grew
   */
  progress(isLiving: (uid: string) => boolean): boolean {
    const collected = this.#collect(isLiving);
    const ready = [...this.#new].flatMap((name) => {
      const claim = this.#claims.get(name);
      const after = claim === undefined ? undefined : bound(claim);
      return after === undefined || after === claim ? [] : [after];
    });
    for (const claim of ready) this.#set(claim);
    this.#new.clear();
    return collected || ready.length > 0;
  }

  /** The garbage collector deletes claims of which no owner is left. */
  #collect(isLiving: (uid: string) => boolean): boolean {
    const suspects = [...this.#suspects].flatMap((name) => this.#claims.get(name) ?? []).toSorted(byName);
    this.#suspects.clear();
    const isOrphan = ({ metadata: { ownerReferences = [] } }: PersistentVolumeClaim): boolean =>
      ownerReferences.length > 0 && !ownerReferences.some(({ uid }) => uid === this.#context.workloadUid || isLiving(uid));
    const orphans = suspects.filter(isOrphan);
    this.delete(orphans);
    return orphans.length > 0;
  }

  #note(claim: PersistentVolumeClaim): void {
    this.#set(claim);
    this.#new.add(claim.metadata.name);
    this.#suspects.add(claim.metadata.name);
    this.#noteOwners(claim);
  }

  #noteOwners({ metadata: { name, ownerReferences = [] } }: PersistentVolumeClaim): void {
    for (const { uid } of ownerReferences) {
      const names = this.#ownedBy.get(uid) ?? new Set();
      this.#ownedBy.set(uid, names.add(name));
    }
  }

  #set(claim: PersistentVolumeClaim): void {
    this.#list = withNamed(this.#list, claim);
    this.#claims.set(claim.metadata.name, claim);
  }
}
