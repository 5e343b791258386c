import { NativeSelect, TextInput } from '@mantine/core'
import { useState } from 'react'
import { alertKinds, type AlertRuleRequestDto, type AlertScope } from '../../../shared/dtos/alert-rule.ts'
import { textProps } from '../../components/field-props.ts'
import { DialogForm } from '../../components/list-kit/dialogs.tsx'
import { useSession } from '../../hooks/use-session.ts'
import * as t from '../../texts.ts'
import { newConditions } from './conditions.ts'
import { ConditionFields, ReceiversField, RuleScopeField } from './rule-fields.tsx'
import { RulePreview } from './rule-preview.tsx'

const everything: AlertScope = { kind: 'everything', id: null }

interface RuleFormProps<Saved> {
  start: AlertRuleRequestDto
  submit: string
  /** A new rule chooses its condition, which gives it a name. */
  isNew?: boolean
  save: (body: AlertRuleRequestDto) => Promise<Saved>
  onSaved: (saved: Saved) => void
  onCancel: () => void
}

/** Condition, devices and receivers of a rule, and the alerts that it would have opened. */
export function RuleForm<Saved>({ start, submit, isNew = false, save, onSaved, onCancel }: RuleFormProps<Saved>) {
  const { can } = useSession()
  const [rule, setRule] = useState(start)
  const change = (changes: Partial<AlertRuleRequestDto>) => setRule({ ...rule, ...changes })
  const { name, condition, scope, receivers } = rule
  const offered = newConditions.filter(
    ({ kind }) => alertKinds.get(kind)?.subject !== 'server' || can('server.telemetry.read'),
  )
  const isOfDevices = alertKinds.get(condition.kind)?.subject === 'device'
  const choose = (kind: string) => {
    const chosen = offered.find((each) => each.kind === kind)
    if (chosen) {
      const isNamed = name !== t.alertRules.name(condition.kind)
      change({
        condition: chosen,
        ...(!isNamed && { name: t.alertRules.name(kind) }),
        ...(alertKinds.get(chosen.kind)?.subject !== 'device' && { scope: everything }),
      })
    }
  }
  return (
    <DialogForm
      submit={submit}
      canSubmit={
        name.trim() !== '' &&
        (scope.kind === 'everything' || scope.id !== null) &&
        (receivers.kind !== 'people' || receivers.userIds.length > 0)
      }
      save={() => save({ ...rule, name: name.trim() })}
      onSaved={onSaved}
      onCancel={onCancel}
    >
      {isNew && (
        <NativeSelect
          label={t.alertRules.looksFor}
          data={offered.map(({ kind }) => ({ value: kind, label: t.alertRules.name(kind) }))}
          data-autofocus
          {...textProps(condition.kind, choose)}
        />
      )}
      <ConditionFields value={condition} onChange={(next) => change({ condition: next })} />
      {isOfDevices && <RuleScopeField value={scope} onChange={(next) => change({ scope: next })} />}
      <ReceiversField value={receivers} onChange={(next) => change({ receivers: next })} />
      <TextInput
        label={t.common.name}
        maxLength={100}
        autoComplete="off"
        {...textProps(name, (next) => change({ name: next }))}
      />
      <section aria-label={t.alertRules.preview}>
        <h3>{t.alertRules.preview}</h3>
        <RulePreview condition={condition} scope={scope} />
      </section>
    </DialogForm>
  )
}
