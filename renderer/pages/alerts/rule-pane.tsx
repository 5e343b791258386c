import { Alert, Group, Switch } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { TextLink } from '../../components/links.tsx'
import type { AlertRuleDto, AlertRuleRequestDto } from '../../../shared/dtos/alert-rule.ts'
import { alertQueries } from '../../api/alert-queries.ts'
import { api } from '../../api/http.ts'
import { invalidate } from '../../api/query-client.ts'
import { checkProps } from '../../components/field-props.ts'
import { DeleteButton, FormButton } from '../../components/list-kit/dialogs.tsx'
import { PaneSection, SidePane } from '../../components/list-kit/side-pane.tsx'
import { showUndo } from '../../components/list-kit/undo-toast.tsx'
import { ProblemAlert } from '../../components/problem-alert.tsx'
import { visibleName } from '../../text/visible-name.ts'
import * as t from '../../texts.ts'
import { RuleForm } from './rule-form.tsx'
import { RulePreview } from './rule-preview.tsx'

/** Body of a request that stores a rule as it is. */
const bodyOf = ({ name, condition, scope, receivers, isEnabled }: AlertRuleDto): AlertRuleRequestDto => ({
  name,
  condition,
  scope: { kind: scope.kind, id: scope.id },
  receivers,
  isEnabled,
})

export const scopeText = ({ scope }: AlertRuleDto) =>
  scope.kind === 'everything' ? t.alertRules.scopes.everything : visibleName(scope.name ?? t.alertRules.gone)

interface RulePaneProps {
  rule: AlertRuleDto
  mayEdit: boolean
  onClose: () => void
}

/** Side pane of a rule: on or off, what it looks for, whom it notifies, which alerts it would have opened. */
export function RulePane({ rule, mayEdit, onClose }: RulePaneProps) {
  const { id, condition, receivers, isEnabled, isDefault, madeBy, mayAct, openAlerts } = rule
  const name = visibleName(rule.name)
  const reload = () => invalidate(alertQueries.all)
  const save = (body: AlertRuleRequestDto) => api.alerts.updateRule({ params: { ruleId: id }, body })
  const undo = async () => {
    await save(bodyOf(rule))
    await reload()
  }
  const turn = useMutation({
    mutationFn: (wanted: boolean) => save({ ...bodyOf(rule), isEnabled: wanted }),
    onSettled: reload,
  })
  return (
    <SidePane title={name} onClose={onClose}>
      {!mayAct && (
        <Alert color="warning" mb="sm">
          {t.alertRules.stoppedHint(madeBy === null ? null : visibleName(madeBy))}
        </Alert>
      )}
      <Switch
        label={t.alertRules.isEnabled}
        description={t.alertRules.isEnabledHint}
        disabled={!mayEdit}
        {...checkProps(turn.isPending ? turn.variables : isEnabled, turn.mutate)}
      />
      {turn.error && <ProblemAlert error={turn.error} />}
      <PaneSection
        title={t.alertRules.looksFor}
        hint={
          isDefault ? t.alertRules.isDefault : madeBy === null ? undefined : t.alertRules.madeBy(visibleName(madeBy))
        }
      >
        <p>{t.alertRules.condition(condition)}</p>
        <p>
          {t.alertRules.where}: {scopeText(rule)}
        </p>
        <p>
          {t.alertRules.tells}: {t.alertRules.receivers[receivers.kind]}
        </p>
      </PaneSection>
      {openAlerts > 0 && (
        <TextLink to={`/alerts?${new URLSearchParams({ rule: id }).toString()}`}>
          {t.alertRules.openAlerts(openAlerts)}
        </TextLink>
      )}
      {mayEdit && (
        <Group gap="xs" mt="sm">
          <FormButton size="lg" label={t.alertRules.change} title={name} button={{ variant: 'filled' }}>
            {(close) => (
              <RuleForm
                start={bodyOf(rule)}
                submit={t.common.save}
                save={save}
                onSaved={() => {
                  close()
                  showUndo(t.alertRules.changed(name), undo)
                  void reload()
                }}
                onCancel={close}
              />
            )}
          </FormButton>
          <DeleteButton
            label={t.alertRules.remove}
            title={t.alertRules.removeTitle(name)}
            onConfirm={() => api.alerts.deleteRule({ params: { ruleId: id } })}
            onConfirmed={() => {
              onClose()
              void reload()
            }}
          >
            {t.alertRules.removeHint}
          </DeleteButton>
        </Group>
      )}
      <PaneSection title={t.alertRules.preview}>
        <RulePreview condition={condition} scope={rule.scope} />
      </PaneSection>
    </SidePane>
  )
}
