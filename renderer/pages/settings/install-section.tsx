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
        label={t.organization.instanceId}
        description={t.organization.instanceIdHint}
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
            {t.organization.save}
          </Button>
          {stored !== '' && (
            <Button variant="default" aria-label={t.organization.resetInstance} onClick={() => save(null)}>
              {t.organization.reset}
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
    <section className={classes.section} id="install" aria-label={t.organization.install}>
      <h2>{t.organization.install}</h2>
      <InstanceForm settings={settings} isReadOnly={isReadOnly} />
      <Switch
        mt="md"
        label={t.organization.appendInstance}
        description={hasInstance ? t.organization.appendInstanceHint : t.organization.needsInstance}
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
