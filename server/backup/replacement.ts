import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { readFileIfThere, replaceFile } from '../ground/durable-file.ts'
import { BackupError, explainAt } from './backup-error.ts'
import { syncFolder } from './copy-file.ts'

/*
 * Files of a data folder are replaced together: a plan is written first, and each step can be repeated, so a process that
 * is killed in between is continued by the next start. Replaced files are moved into a folder beside them.
 */

const FileName = z.string().regex(/^[\w.-]+$/)

/** Whether a plan may name this file; every file of Farhand has such a name. */
export const isReplaceable = (name: string): boolean => FileName.safeParse(name).success

const Plan = z.object({
  version: z.literal(1),
  /** Folder with the new files. */
  staged: z.string().regex(/^[\w-]+$/),
  /** Folder for the replaced files. */
  aside: z.string().regex(/^[\w-]+$/),
  /** Files to move aside, and those to put in their place. */
  replaced: z.array(FileName),
  added: z.array(FileName),
})
export type Plan = z.infer<typeof Plan>

const planIn = (directory: string) => join(directory, 'replacement.json')

/** Whether a replacement is planned that the next start carries out. */
export const isReplacementPlanned = (directory: string): boolean => existsSync(planIn(directory))

/** Plans a replacement by complete, flushed files. Once planned, the replacement is carried out after any crash. */
export async function planReplacement(directory: string, plan: Omit<Plan, 'version'>): Promise<void> {
  await syncFolder(join(directory, plan.staged))
  await replaceFile(planIn(directory), `${JSON.stringify({ version: 1, ...plan })}\n`)
}

async function readPlan(directory: string): Promise<Plan | undefined> {
  const text = await readFileIfThere(planIn(directory))
  if (text === undefined) {
    return undefined
  }
  try {
    return Plan.parse(JSON.parse(text))
  } catch (error) {
    throw new BackupError(
      `${planIn(directory)} is damaged: it lists files of a restore that was interrupted. Delete it to start with the data as it is.`,
      { cause: error },
    )
  }
}

/**
 * Carries out a planned replacement; the caller holds the lock of the folder. Returns the folder of the replaced files;
 * undefined if there are none.
 */
export async function finishReplacement(directory: string): Promise<string | undefined> {
  const plan = await readPlan(directory)
  if (!plan) {
    return undefined
  }
  const inPlace = (name: string) => join(directory, name)
  const aside = inPlace(plan.aside)
  try {
    const staged = (name: string) => join(inPlace(plan.staged), name)
    for (const name of plan.replaced) {
      // A new file that is no longer staged is in place already.
      const isOld = !plan.added.includes(name) || existsSync(staged(name))
      if (isOld && existsSync(inPlace(name)) && !existsSync(join(aside, name))) {
        await mkdir(aside, { recursive: true, mode: 0o700 })
        await rename(inPlace(name), join(aside, name))
      }
    }
    const isAnyAside = existsSync(aside)
    if (isAnyAside) {
      await syncFolder(aside)
    }
    for (const name of plan.added) {
      if (existsSync(staged(name))) {
        await rename(staged(name), inPlace(name))
      }
    }
    await syncFolder(directory)
    await rm(planIn(directory))
    await rm(inPlace(plan.staged), { recursive: true, force: true })
    return isAnyAside ? aside : undefined
  } catch (error) {
    throw explainAt(`The data folder ${directory}`, error)
  }
}
