import { Button, Group, Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import type { TenantSettingsDto } from '../../../shared/dtos/tenant-setting.ts'
import { problemText } from '../../components/problem-alert.tsx'
import * as t from '../../texts.ts'
import classes from './settings-page.module.css'
import { useTenantSettingChange } from './use-tenant-settings.ts'
import { submitHandler } from '../../components/request-form.tsx'

interface SectionProps {
  settings: TenantSettingsDto
  isReadOnly: boolean
}

function InstanceForm({ settings, isReadOnly }: SectionProps) {
  const [typed, setTyped] = useState<string>()
  const change = useTenantSettingChange(settings)
  const stored = settings.instanceId ?? ''
  const text = typed ?? stored
  const isChanged = text.trim() !== stored
  const save = (value: string | null) =>
    change.mutate({ member: 'instanceId', value }, { onSuccess: () => setTyped(undefined) })
  const handleSubmit = submitHandler(() => {
    if (isChanged && !change.isPending) {
      save(text.trim() === '' ? null : text.trim())
    }
  })
  return (
    <form onSubmit={handleSubmit}>
      <TextInput
        label={t.settings.instanceId}
        description={t.settings.instanceIdHint}
        maxLength={64}
        disabled={isReadOnly}
        autoComplete="off"
        spellCheck={false}
        value={text}
        error={change.error && problemText(change.error)}
        onChange={(event) => setTyped(event.currentTarget.value)}
      />
      {!isReadOnly && (
        <Group gap="xs" mt="xs">
          <Button type="submit" disabled={!isChanged} loading={change.isPending}>
            {t.settings.save}
          </Button>
          {stored !== '' && (
            <Button variant="default" aria-label={t.settings.resetInstance} onClick={() => save(null)}>
              {t.settings.reset}
            </Button>
          )}
        </Group>
      )}
    </form>
  )
}

/** Instance in install commands. */
export function InstallSection({ settings, isReadOnly }: SectionProps) {
  const change = useTenantSettingChange(settings)
  const hasInstance = settings.instanceId !== null
  const stored = settings.appendInstanceId ?? false
  return (
    <section className={classes.section} id="install" aria-label={t.settings.install}>
      <h2>{t.settings.install}</h2>
      <InstanceForm settings={settings} isReadOnly={isReadOnly} />
      <Switch
        mt="md"
        label={t.settings.appendInstance}
        description={hasInstance ? t.settings.appendInstanceHint : t.settings.needsInstance}
        disabled={isReadOnly || (!hasInstance && !stored)}
        checked={change.chosen === undefined ? stored : change.chosen === 'true'}
        error={change.error && problemText(change.error)}
        onChange={(event) =>
          change.mutate({ member: 'appendInstanceId', value: event.currentTarget.checked ? 'true' : null })
        }
      />
    </section>
  )
}
