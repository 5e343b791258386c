import { Button } from '@mantine/core'
import { useState, type ReactNode } from 'react'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import * as t from '../../texts.ts'
import classes from './server-page.module.css'
import { SettingField } from './setting-field.tsx'
import {
  fieldProblem,
  useSettingGroup,
  useSettingsChange,
  type Draft,
  type SettingGroup,
} from './use-server-settings.ts'
import { submitHandler } from '../../components/request-form.tsx'

interface SettingsFormProps {
  group: SettingGroup
  title: string
  hint: ReactNode
  isDisabled?: boolean
  /** Beside the buttons. */
  children?: ReactNode
  /** Says what typing has caused, such as a password to enter again. */
  noteFor?: (draft: Draft) => string | undefined
}

/** Settings of one part of the page, saved together. What was typed stays after an error. */
export function SettingsForm({ group, title, hint, isDisabled = false, children, noteFor }: SettingsFormProps) {
  const settings = useSettingGroup(group)
  const [draft, setDraft] = useState<Draft>({})
  const save = useSettingsChange(() => setDraft({}))
  const isChanged = Object.keys(draft).length > 0
  const handleChange = (key: string, value: string | null | undefined) =>
    setDraft(({ [key]: _before, ...others }) => (value === undefined ? others : { ...others, [key]: value }))
  const handleSubmit = submitHandler(() => {
    if (isChanged && !save.isPending) {
      save.mutate(draft)
    }
  })
  const note = noteFor?.(draft)
  const hasFieldProblem = settings.some(({ key }) => fieldProblem(save.error, key) !== undefined)
  return (
    <section id={group} className={classes.section} aria-label={title}>
      <h2>{title}</h2>
      <p className="muted">{hint}</p>
      <form onSubmit={handleSubmit}>
        <div className={classes.fields}>
          {settings.map((setting) => (
            <SettingField
              key={setting.key}
              setting={setting}
              typed={draft[setting.key]}
              isDisabled={isDisabled}
              problem={fieldProblem(save.error, setting.key)}
              onChange={(value) => handleChange(setting.key, value)}
            />
          ))}
        </div>
        {note !== undefined && (
          <p className="small" role="status">
            {note}
          </p>
        )}
        {save.error && !hasFieldProblem && <ProblemAlert error={save.error} />}
        <div className={classes.actions}>
          {!isDisabled && (
            <Button type="submit" disabled={!isChanged} loading={save.isPending}>
              {t.server.save}
            </Button>
          )}
          {isChanged && (
            <Button
              variant="default"
              onClick={() => {
                setDraft({})
                save.reset()
              }}
            >
              {t.server.discard}
            </Button>
          )}
          {save.isSuccess && !isChanged && (
            <span className="small muted" role="status">
              {t.server.saved}
            </span>
          )}
          {children}
        </div>
      </form>
    </section>
  )
}
