export const count = (value: number, one: string, many: string) =>
  `${value.toLocaleString()} ${value === 1 ? one : many}`

export const devices = (value: number) => count(value, 'device', 'devices')
