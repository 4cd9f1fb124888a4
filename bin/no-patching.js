const writers = new Set([
  ...['assign', 'defineProperties', 'defineProperty', 'deleteProperty', 'set', 'setPrototypeOf'],
]);

/**
 * A lint rule: no code changes a prototype, a global of the platform, or an object that another module exports.
 * Such a change reaches every user of the object, and the next release of its owner may break it silently.
 */
export const noPatching = {
  meta: {
    type: 'problem',
    schema: [],
    messages: {
      patch: '{{object}} belongs to the platform or to another module: do not change it.',
    },
  },

  create(context) {
    function check(object) {
      if (!isForeign(object)) return;
      const data = { object: context.sourceCode.getText(object) };
      context.report({ node: object, messageId: 'patch', data });
    }

    function checkTarget(target) {
      if (target.type === 'MemberExpression' && !isSetting(target)) check(target.object);
    }

    function isForeign(node) {
      switch (node?.type) {
        case 'MemberExpression':
          return ['prototype', '__proto__'].includes(nameOf(node)) || isForeign(node.object);
        case 'CallExpression':
          return isLoader(node.callee) || nameOf(node.callee) === 'getPrototypeOf';
        case 'AwaitExpression':
          return node.argument.type === 'ImportExpression';
        case 'TSAsExpression':
        case 'TSNonNullExpression':
          return isForeign(node.expression);
        case 'Identifier':
          return isForeignVariable(node);
        default:
          return false;
      }
    }

    /** Imported, taken from something foreign, or declared nowhere: then it is a global. */
    function isForeignVariable(identifier) {
      const definitions = definitionsOf(identifier);
      if (definitions.length === 0) return /^[A-Z]|^globalThis$/.test(identifier.name);
      return definitions.some(
        ({ type, node }) =>
          type === 'ImportBinding' || (type === 'Variable' && isForeign(node.init)),
      );
    }

    function definitionsOf(identifier) {
      for (let scope = context.sourceCode.getScope(identifier); scope; scope = scope.upper) {
        const variable = scope.set.get(identifier.name);
        if (variable !== undefined) return variable.defs;
      }
      return [];
    }

    return {
      AssignmentExpression: ({ left }) => checkTarget(left),
      UpdateExpression: ({ argument }) => checkTarget(argument),
      'UnaryExpression[operator="delete"]': ({ argument }) => checkTarget(argument),
      'CallExpression[callee.object.name=/^(Object|Reflect)$/]'(call) {
        if (writers.has(nameOf(call.callee))) check(call.arguments[0]);
      },
    };
  },
};

/** V8 documents this property as the way to set the number of frames. */
function isSetting(member) {
  return member.object.name === 'Error' && nameOf(member) === 'stackTraceLimit';
}

/** `require` or `createRequire(…)`. */
function isLoader(callee) {
  return callee.name === 'require' || callee.callee?.name === 'createRequire';
}

function nameOf(member) {
  return member.computed ? member.property?.value : member.property?.name;
}
