import { randomUUID } from 'node:crypto'
import type { Member } from '../../../../support/server.ts'

/** Prepared write, with a check of its effect. */
export interface Write {
  /** Resolves with the server's answer. */
  act(): Promise<unknown>
  /** Checks the effect on a server that started on the killed server's data; throws if the effect is missing. */
  expectStored(): Promise<unknown>
}

/** Prepares a write with entities of its own, because many writes run concurrently. */
export type Prepare = (owner: Member) => Promise<Write>

/** Writes by their route, or by a description without a route. */
export type Writes = Record<string, Prepare>

/** Name that is valid for every kind of entity. */
export const newName = () => randomUUID()

/** Entities with a name that can be created, renamed and deleted. */
interface Named {
  create(name: string): Promise<string>
  rename(id: string, name: string): Promise<unknown>
  delete(id: string): Promise<unknown>
  /** Names by id. */
  list(): Promise<[id: string, name: string | null][]>
}

async function expectName({ list }: Named, id: string, name: string | undefined) {
  const found = new Map(await list()).get(id)
  if (found !== name) {
    throw new Error(`${id} should be called ${name}, and is ${found}.`)
  }
}

/** Writes that create, rename and delete such entities; `rename` is the name of the rename route. */
export function writesOf(
  group: string,
  thingsOf: (owner: Member) => Named | Promise<Named>,
  rename = 'update',
): Writes {
  return {
    [`${group}.create`]: async (owner) => {
      const things = await thingsOf(owner)
      const name = newName()
      let id = ''
      return {
        act: async () => (id = await things.create(name)),
        expectStored: () => expectName(things, id, name),
      }
    },
    [`${group}.${rename}`]: async (owner) => {
      const things = await thingsOf(owner)
      const [id, name] = [await things.create(newName()), newName()]
      return { act: () => things.rename(id, name), expectStored: () => expectName(things, id, name) }
    },
    [`${group}.delete`]: async (owner) => {
      const things = await thingsOf(owner)
      const id = await things.create(newName())
      return { act: () => things.delete(id), expectStored: () => expectName(things, id, undefined) }
    },
  }
}
