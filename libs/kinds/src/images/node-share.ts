/**
 * How much of a NodeImage each namespace holds, and whether it may hold more. A NodeImage is written to etcd for every node and read by its agent as a
 * whole, so images, tags and bytes have bounds, and no namespace may take all of them. Pure.
 *
 * What a namespace may hold is `greed` times what is left for others: one alone gets four fifths of a bound, two get four ninths each, and what many
 * hold always leaves something for the next.
 *
 * @see spec/image-pulling.md 5.5 step 8
 */
import type { ImageSpec, ImageTagSpec, NodeImage } from '@kruise/api';
import { imageLimits, memoized, stringifyLossless, type ImageTask } from '@kruise/objects';
import { imageAt, imagesOf, ownersOf, tagsOf } from './node-image-tags.ts';

/** Numbers of image names and tags with a job of the namespace, and bytes of what its jobs wrote. */
interface Holding {
  readonly images: number;
  readonly tags: number;
  readonly bytes: number;
}

export interface Usage {
  readonly total: Holding;
  /** '' for what no job requested. */
  readonly byNamespace: ReadonlyMap<string, Holding>;
}

export type SecretReference = NonNullable<ImageSpec['pullSecrets']>[number];
/** The namespace of the Secret that a reference is a copy of; undefined when that is not known. */
export type SourceOf = (reference: SecretReference) => string | undefined;

const greed = 4;

const bounds: Holding = {
  images: imageLimits.imagesOfNode.value,
  tags: imageLimits.tagsOfNode.value,
  bytes: imageLimits.bytesOfNode.value,
};

/** What each namespace may hold however much others hold, while there is room at all. */
const floor: Holding = { images: 1, tags: 1, bytes: 4096 };

const none: Holding = { images: 0, tags: 0, bytes: 0 };

const measures = ['images', 'tags', 'bytes'] as const;

type Owner = ReturnType<typeof ownersOf>[number];

/** Names of members, punctuation, times and numbers. */
const frame = { image: 60, tag: 260, owner: 110, secret: 60 } as const;

const lengthOf = (...texts: readonly (string | undefined)[]): number => texts.reduce((sum, text) => sum + (text?.length ?? 0), 0);
const bytesOfOwner = ({ namespace, name, uid }: Owner): number => frame.owner + lengthOf(namespace, name, uid);
export const bytesOfSecret = ({ namespace, name }: SecretReference): number => frame.secret + lengthOf(namespace, name);
const bytesOfTag = ({ tag }: Pick<ImageTagSpec, 'tag'>): number => frame.tag + lengthOf(tag);
const bytesOfSandbox = (sandbox: ImageSpec['sandboxConfig']): number => (sandbox === undefined ? 0 : stringifyLossless(sandbox).length);

const noJob: ReadonlySet<string> = new Set(['']);

function namespacesOf(tag: ImageTagSpec): ReadonlySet<string> {
  const owners = ownersOf(tag);
  if (owners.length === 0) return noJob;
  const found = new Set<string>();
  for (const { namespace = '' } of owners) found.add(namespace);
  return found;
}

/** The namespaces with a job that wants any tag of the image. */
export const namespacesOfImage = (image: ImageSpec | undefined): ReadonlySet<string> =>
  new Set(tagsOf(image).flatMap((tag) => [...namespacesOf(tag)]));

type Account = { -readonly [M in keyof Holding]: Holding[M] };

class Ledger {
  readonly byNamespace = new Map<string, Account>();
  readonly total: Account = { ...none };

  of(namespace: string): Account {
    const known = this.byNamespace.get(namespace);
    if (known !== undefined) return known;
    const opened: Account = { ...none };
    this.byNamespace.set(namespace, opened);
    return opened;
  }

  addTag(tag: ImageTagSpec, namespaces: ReadonlySet<string>): void {
    const bytes = bytesOfTag(tag);
    this.total.tags += 1;
    this.total.bytes += bytes;
    for (const namespace of namespaces) {
      const account = this.of(namespace);
      account.tags += 1;
      account.bytes += bytes;
    }
    for (const owner of ownersOf(tag)) this.addBytes(owner.namespace ?? '', bytesOfOwner(owner));
  }

  addBytes(namespace: string, bytes: number): void {
    this.total.bytes += bytes;
    this.of(namespace).bytes += bytes;
  }
}

function addImage(ledger: Ledger, name: string, image: ImageSpec, sourceOf: SourceOf): void {
  const owning = new Set<string>();
  for (const tag of tagsOf(image)) {
    const namespaces = namespacesOf(tag);
    for (const namespace of namespaces) owning.add(namespace);
    ledger.addTag(tag, namespaces);
  }
  for (const secret of image.pullSecrets ?? []) ledger.addBytes(sourceOf(secret) ?? '', bytesOfSecret(secret));
  const sandbox = bytesOfSandbox(image.sandboxConfig);
  ledger.total.images += 1;
  ledger.total.bytes += frame.image + name.length + sandbox;
  for (const namespace of owning) {
    const account = ledger.of(namespace);
    account.images += 1;
    account.bytes += frame.image + name.length + Math.ceil(sandbox / owning.size);
  }
}

function count(nodeImage: NodeImage, sourceOf: SourceOf): Usage {
  const ledger = new Ledger();
  for (const [name, image] of Object.entries(imagesOf(nodeImage))) addImage(ledger, name, image, sourceOf);
  return ledger;
}

/** The total does not depend on where secrets come from. */
const totalOf = memoized((nodeImage: NodeImage) => count(nodeImage, () => undefined).total);

/** Returns whether the NodeImage holds more than half of any bound. */
export function isCrowded(nodeImage: NodeImage): boolean {
  const total = totalOf(nodeImage);
  return measures.some((measure) => total[measure] > bounds[measure] / 2);
}

/** What a job would add to a NodeImage. */
export interface Addition {
  readonly task: ImageTask;
  /** The job as the tag would name it. */
  readonly owner: Owner;
  /** Those that the image does not have yet. */
  readonly secrets: readonly SecretReference[];
  readonly sandbox: ImageSpec['sandboxConfig'];
}

/** What a NodeImage holds after an {@link Addition} and not before. */
interface Growth {
  readonly total: Holding;
  /** Of the namespace of the job. */
  readonly own: Holding;
  /** Whether the task is there, and only gets secrets. */
  readonly isOfSecrets: boolean;
}

function growthOf(nodeImage: NodeImage, { task, owner, secrets, sandbox }: Addition): Growth {
  const image = imageAt(nodeImage, task.name);
  const tag = tagsOf(image).find((entry) => entry.tag === task.tag);
  const { namespace = '' } = owner;
  const isListed = tag !== undefined && ownersOf(tag).some(({ uid }) => uid === owner.uid);
  const ofSandbox = Math.max(bytesOfSandbox(sandbox) - bytesOfSandbox(image?.sandboxConfig), 0);
  const written = (isListed ? 0 : bytesOfOwner(owner)) + secrets.reduce((sum, secret) => sum + bytesOfSecret(secret), 0) + ofSandbox;
  const added = (hasImage: boolean, hasTag: boolean): Holding => ({
    images: hasImage ? 0 : 1,
    tags: hasTag ? 0 : 1,
    bytes: written + (hasImage ? 0 : frame.image + task.name.length) + (hasTag ? 0 : bytesOfTag(task)),
  });
  return {
    total: added(image !== undefined, tag !== undefined),
    own: added(namespacesOfImage(image).has(namespace), tag !== undefined && namespacesOf(tag).has(namespace)),
    isOfSecrets: isListed && ofSandbox === 0,
  };
}

/** A node must not pull with a secret that was changed, however full it is. */
const boundsOfSecrets: Holding = { ...bounds, bytes: bounds.bytes + imageLimits.secretBytesOfNode.value };

const mostNamed = 3;

/** What each namespace holds of NodeImages. A usage is kept as long as its NodeImage: a changed one is another object. */
export class NodeShares {
  readonly #sourceOf: SourceOf;
  readonly #usages = new WeakMap<NodeImage, Usage>();

  constructor(sourceOf: SourceOf) {
    this.#sourceOf = sourceOf;
  }

  /** Returns whether the usage is known: to count it takes part of a millisecond. */
  isCounted(nodeImage: NodeImage): boolean {
    return this.#usages.has(nodeImage);
  }

  usageOf(nodeImage: NodeImage): Usage {
    const known = this.#usages.get(nodeImage);
    if (known !== undefined) return known;
    const usage = count(nodeImage, this.#sourceOf);
    this.#usages.set(nodeImage, usage);
    return usage;
  }

  /** Returns whether the job may write into the NodeImage: what adds nothing to a bound is not held against it. */
  hasRoom(nodeImage: NodeImage, addition: Addition): boolean {
    const { total, own, isOfSecrets } = growthOf(nodeImage, addition);
    const most = isOfSecrets ? boundsOfSecrets : bounds;
    const usage = this.usageOf(nodeImage);
    const held = usage.byNamespace.get(addition.owner.namespace ?? '') ?? none;
    return measures.every((measure) => {
      if (own[measure] === 0 && total[measure] === 0) return true;
      const left = most[measure] - usage.total[measure] - total[measure];
      return left >= 0 && held[measure] + own[measure] <= Math.max(greed * left, floor[measure]);
    });
  }

  /** Returns who holds most of a NodeImage: `204 images of default, 52 of shop`. */
  holdersText(nodeImage: NodeImage): string {
    const holders = [...this.usageOf(nodeImage).byNamespace].toSorted(
      ([a, x], [b, y]) => y.images - x.images || y.bytes - x.bytes || (a < b ? -1 : 1),
    );
    const texts = holders.slice(0, mostNamed).map(([namespace, { images, tags, bytes }]) => {
      const who = namespace === '' ? 'no job' : `namespace ${namespace}`;
      return `${who} holds ${images} images, ${tags} tags, ${Math.ceil(bytes / 1024)} KiB`;
    });
    return holders.length > mostNamed ? [...texts, `${holders.length - mostNamed} more`].join('; ') : texts.join('; ');
  }
}
