import { type ByteReader } from './byte-reader.ts';
import type { ByteWriter } from './byte-writer.ts';
export interface Encoding<T> {
    write(to: ByteWriter, value: T): void;
    read(from: ByteReader): T;
    /** What a member has that is not there. */
    readonly missing: T;
}
export type Value<F> = F extends Encoding<infer T> ? T : never;
type Members = Readonly<Record<string, Encoding<unknown>>>;
type LeftOut<M extends Members> = {
    [K in keyof M]: undefined extends Value<M[K]> ? K : never;
}[keyof M];
type Values<M extends Members> = {
    [K in Exclude<keyof M, LeftOut<M>>]: Value<M[K]>;
} & {
    [K in LeftOut<M>]?: Value<M[K]>;
};
/** 32 bits. A float is refused. */
export declare const integer: Encoding<number>;
/** 64 bits, exact. */
export declare const long: Encoding<bigint>;
export declare const double: Encoding<number>;
export declare const single: Encoding<number>;
export declare const boolean: Encoding<boolean>;
/** A null is read as an empty one. */
export declare const string: Encoding<string>;
/** 36 characters, lower case. */
export declare const guid: Encoding<string>;
/** Read as a view on the message: no copy. */
export declare const binary: Encoding<Uint8Array>;
export declare const nullable: <T>(encoding: Encoding<T>) => Encoding<T | null>;
/** A member that is left out when it is undefined, so that other programs see the message that they know; in tuples at the end. */
export declare const optional: <T>(encoding: Encoding<T>) => Encoding<T | undefined>;
/** One of the numbers; an unknown one is read as the first of them. */
export declare function oneOf<const V extends Readonly<Record<string, number>>>(values: V): Encoding<V[keyof V]>;
export declare const list: <T>(item: Encoding<T>, most?: number) => Encoding<readonly T[]>;
/** Texts under any names. */
export declare const texts: Encoding<ReadonlyMap<string, string>>;
/** The members under their PascalCase names, in their order; read in any order, unknown ones are passed over. */
export declare function map<const M extends Members>(members: M): Encoding<Values<M>>;
/** The members by their position, without names. */
export declare function tuple<const M extends Members>(members: M): Encoding<Values<M>>;
export {};
