import { UndecodableMessage } from './byte-reader.js';
/** Most items of a list, entries of a map: no message needs more, and each costs far more than its byte. */
const maxItems = 10_000;
/** 32 bits. A float is refused. */
export const integer = {
    write: (to, value) => to.integer(value),
    read: (from) => from.integer(),
    missing: 0,
};
/** 64 bits, exact. */
export const long = { write: (to, value) => to.long(value), read: (from) => from.long(), missing: 0n };
export const double = {
    write: (to, value) => to.double(value),
    read: (from) => from.float(),
    missing: 0,
};
export const single = {
    write: (to, value) => to.single(value),
    read: (from) => from.float(),
    missing: 0,
};
export const boolean = {
    write: (to, value) => to.boolean(value),
    read: (from) => from.boolean(),
    missing: false,
};
/** A null is read as an empty one. */
export const string = {
    write: (to, value) => to.string(value),
    read: (from) => (from.isNothing() ? '' : from.string()),
    missing: '',
};
/** 36 characters, lower case. */
export const guid = {
    write: (to, value) => to.string(value.toLowerCase()),
    read: (from) => from.string().toLowerCase(),
    missing: '00000000-0000-0000-0000-000000000000',
};
/** Read as a view on the message: no copy. */
export const binary = {
    write: (to, value) => to.binary(value),
    read: (from) => (from.isNothing() ? new Uint8Array() : from.binary()),
    missing: new Uint8Array(),
};
export const nullable = (encoding) => ({
    write: (to, value) => (value === null ? to.nothing() : encoding.write(to, value)),
    read: (from) => (from.isNothing() ? null : encoding.read(from)),
    missing: null,
});
/** A member that is left out when it is undefined, so that other programs see the message that they know; in tuples at the end. */
export const optional = (encoding) => ({
    write: (to, value) => (value === undefined ? undefined : encoding.write(to, value)),
    read: (from) => encoding.read(from),
    missing: undefined,
});
/** One of the numbers; an unknown one is read as the first of them. */
export function oneOf(values) {
    const known = Object.values(values);
    const missing = known[0];
    const read = (from) => {
        const number = from.integer();
        return known.find((value) => value === number) ?? missing;
    };
    return { write: (to, value) => to.integer(value), read, missing };
}
function countOf(count, most = maxItems) {
    if (count > most) {
        throw new UndecodableMessage(`${count} items are more than ${most}`);
    }
    return count;
}
export const list = (item, most = maxItems) => ({
    write(to, values) {
        to.listHeader(values.length);
        values.forEach((value) => item.write(to, value));
    },
    read: (from) => Array.from({ length: countOf(from.listHeader(), most) }, () => item.read(from)),
    missing: [],
});
/** Texts under any names. */
export const texts = {
    write(to, values) {
        to.mapHeader(values.size);
        values.forEach((value, key) => {
            to.string(key);
            to.string(value);
        });
    },
    read(from) {
        const count = from.isNothing() ? 0 : countOf(from.mapHeader());
        return new Map(Array.from({ length: count }, () => [from.string(), from.string()]));
    },
    missing: new Map(),
};
const namedOf = (members) => Object.entries(members).map(([name, encoding]) => ({ name, encoding }));
const missingOf = (named) => Object.fromEntries(named.map(({ name, encoding }) => [name, encoding.missing]));
/** Without the members that are left out. */
const presentOf = (named, values) => named.filter(({ name }) => values[name] !== undefined);
/** The members under their PascalCase names, in their order; read in any order, unknown ones are passed over. */
export function map(members) {
    const named = namedOf(members).map(({ name, encoding }) => {
        const key = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
        return { name, key, encoding };
    });
    const byKey = new Map(named.map((member) => [member.key, member]));
    const missing = missingOf(named);
    return {
        write(to, values) {
            const present = presentOf(named, values);
            to.mapHeader(present.length);
            for (const { name, key, encoding } of present) {
                to.string(key);
                encoding.write(to, values[name]);
            }
        },
        read(from) {
            const values = { ...missing };
            for (let left = from.mapHeader(); left > 0; left--) {
                const member = byKey.get(from.string());
                if (member) {
                    values[member.name] = member.encoding.read(from);
                }
                else {
                    from.skip();
                }
            }
            return values;
        },
        missing: missing,
    };
}
/** The members by their position, without names. */
export function tuple(members) {
    const named = namedOf(members);
    const missing = missingOf(named);
    return {
        write(to, values) {
            const present = presentOf(named, values);
            to.listHeader(present.length);
            present.forEach(({ name, encoding }) => encoding.write(to, values[name]));
        },
        read(from) {
            const values = { ...missing };
            const count = from.listHeader();
            for (let index = 0; index < count; index++) {
                const member = named[index];
                if (member) {
                    values[member.name] = member.encoding.read(from);
                }
                else {
                    from.skip();
                }
            }
            return values;
        },
        missing: missing,
    };
}
//# sourceMappingURL=encodings.js.map