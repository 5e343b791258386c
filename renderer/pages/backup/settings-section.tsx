import { Alert, Button, NativeSelect, NumberInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { BackupSettingsDto } from '../../../shared/dtos/backup.ts'
import { api } from '../../api/http.ts'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import * as t from '../../texts.ts'
import card from '../../components/card-page.module.css'
import classes from './backup.module.css'
import { useBackupChange } from './use-backup.ts'
import { submitHandler } from '../../components/request-form.tsx'

const hourText = (hour: number) => `${String(hour).padStart(2, '0')}:00`
const hours = Array.from({ length: 24 }, (_, hour) => ({ value: String(hour), label: hourText(hour) }))

const counts = [
  ['keepDaily', t.backup.daily, 1],
  ['keepWeekly', t.backup.weekly, 0],
  ['keepMonthly', t.backup.monthly, 0],
] as const

interface SettingsSectionProps {
  settings: BackupSettingsDto
  isOnDiskOfData: boolean
  mayChange: boolean
}

/** Folder and schedule of the nightly copies. */
export function SettingsSection({ settings, isOnDiskOfData, mayChange }: SettingsSectionProps) {
  const [changes, setChanges] = useState<Partial<BackupSettingsDto>>({})
  const draft = { ...settings, ...changes }
  const save = useBackupChange(
    (body: BackupSettingsDto) => api.backup.changeSettings({ body }),
    () => setChanges({}),
  )
  const change = (more: Partial<BackupSettingsDto>) => setChanges((before) => ({ ...before, ...more }))
  const isChanged = Object.entries(changes).some(([name, value]) => settings[name as keyof BackupSettingsDto] !== value)
  return (
    <section className={classes.section} aria-label={t.backup.schedule}>
      <h2>{t.backup.schedule}</h2>
      <p className="muted">{t.backup.scheduleHint}</p>
      <form onSubmit={submitHandler(() => save.mutate({ ...draft, folder: draft.folder?.trim() || null }))}>
        <TextInput
          label={t.backup.folder}
          description={t.backup.folderHint}
          placeholder={t.backup.folderExample}
          spellCheck={false}
          maxLength={1000}
          disabled={!mayChange}
          value={draft.folder ?? ''}
          onChange={(event) => change({ folder: event.currentTarget.value || null })}
        />
        {isOnDiskOfData && draft.folder === settings.folder && (
          <Alert color="warning" role="status">
            {t.backup.sameDisk}
          </Alert>
        )}
        <div className={classes.row}>
          <NativeSelect
            label={t.backup.hour}
            data={hours}
            disabled={!mayChange}
            value={String(draft.hour)}
            onChange={(event) => change({ hour: Number(event.currentTarget.value) })}
          />
          {counts.map(([name, label, least]) => (
            <NumberInput
              key={name}
              label={label}
              min={least}
              max={400}
              allowDecimal={false}
              disabled={!mayChange}
              value={draft[name]}
              onChange={(value) => change({ [name]: Number(value) })}
            />
          ))}
        </div>
        {save.error && <ProblemAlert error={save.error} />}
        <div className={card.actions}>
          {mayChange && (
            <Button type="submit" loading={save.isPending} disabled={!isChanged}>
              {t.common.save}
            </Button>
          )}
          {isChanged && (
            <Button variant="default" onClick={() => setChanges({})}>
              {t.common.discard}
            </Button>
          )}
          <span className="small muted" role="status">
            {settings.folder === null ? t.backup.off : t.backup.on(hourText(settings.hour))}
          </span>
        </div>
      </form>
    </section>
  )
}
