/** Props that bind the text of a field, or the choice of a select, to a state. */
export const textProps = (value: string, onChange: (value: string) => void) => ({
  value,
  onChange: ({ currentTarget }: { currentTarget: { value: string } }) => onChange(currentTarget.value),
})

/** Props that bind a checkbox or a switch to a state. */
export const checkProps = (checked: boolean, onChange: (checked: boolean) => void) => ({
  checked,
  onChange: ({ currentTarget }: { currentTarget: { checked: boolean } }) => onChange(currentTarget.checked),
})
