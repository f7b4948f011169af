import type { ApiContract, Operation } from './contract-model.js';
import {
  httpMethods,
  resolve,
  type OperationObject,
  type ParameterObject,
  type PathItemObject,
} from './openapi-document.js';

/** Where the document has an operation. */
export interface OperationSource {
  readonly item: PathItemObject;
  readonly source: OperationObject;
}

/** Finds an operation in the document. */
export function sourceOf({ document }: ApiContract, { method, path }: Operation): OperationSource {
  const item = document.paths?.[path];
  const key = httpMethods.find((each) => each.toUpperCase() === method);
  const source = key === undefined ? undefined : item?.[key];
  if (item === undefined || source === undefined) throw new Error(`There is no operation ${method} ${path}`);
  return { item, source };
}

/** The parameters of an operation, with their references followed. */
export function parametersOf({ document }: ApiContract, { item, source }: OperationSource): ParameterObject[] {
  return [...(item.parameters ?? []), ...(source.parameters ?? [])].map((each) =>
    resolve<ParameterObject>(document, each),
  );
}
