import Store from 'electron-store'
import { z } from 'zod'

const Bounds = z.object({
  x: z.number().int().optional(),
  y: z.number().int().optional(),
  width: z.number().int().min(400),
  height: z.number().int().min(300),
})

/** Settings of the shell. Settings of the product are rows in its database. */
const Settings = z.object({
  port: z
    .number()
    .int()
    .min(0)
    .max(65535)
    .catch(5120)
    .meta({ description: 'Used unless Service_Urls says otherwise.' }),
  bounds: Bounds.catch({ width: 1280, height: 840 }),
  isMaximized: z.boolean().catch(false),
  dataFolder: z.string().optional().catch(undefined).meta({ description: 'Where the data folder was moved to.' }),
  movedFrom: z
    .string()
    .optional()
    .catch(undefined)
    .meta({ description: 'Where it was before, for an interrupted move.' }),
  staysAwake: z.boolean().catch(true).meta({ description: 'No sleep while remote sessions run.' }),
  hasHidden: z.boolean().catch(false).meta({ description: 'The notification about the tray was shown.' }),
  crashes: z.array(z.number()).catch([]).meta({ description: 'Times of the last crashes, to limit restarts.' }),
})
export type Settings = z.infer<typeof Settings>

export interface SettingsStore {
  /** Returns valid settings; invalid stored values read as their defaults. */
  read(): Settings
  write(change: Partial<Settings>): void
}

export function openSettings(): SettingsStore {
  const store = new Store<Record<string, unknown>>({
    name: 'settings',
    clearInvalidConfig: true,
    configFileMode: 0o600,
  })
  return {
    read: () => Settings.parse(store.store),
    write: (change) => store.set(change),
  }
}
